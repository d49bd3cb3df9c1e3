import type { EmailMessage } from '../contracts/mailer.js'
import { html, type Html } from '../lib/html.js'
import { COLORS } from '../lib/palette.js'

/** A part of an e-mail: a paragraph, or a label with code to copy or a link. */
export type Block =
  | string
  | { readonly label: string; readonly code: string }
  | { readonly label: string; readonly link: string }

/** The parts of an e-mail as text and as HTML. */
export function formatBlocks(subject: string, blocks: readonly Block[]): Pick<EmailMessage, 'text' | 'html'> {
  return { text: formatText(blocks), html: formatHtml(subject, blocks) }
}

function formatText(blocks: readonly Block[]): string {
  const paragraphs = blocks.map((block) => {
    if (typeof block === 'string') return block
    return `${block.label}:\n\n    ${'link' in block ? block.link : block.code}`
  })
  return `${paragraphs.join('\n\n')}\n`
}

// Inline, because mail programs ignore style sheets.
const BODY_STYLE = `margin: 0; padding: 24px 16px; color: ${COLORS.ink.light}; background: ${COLORS.paper.light}; font: 16px/1.55 system-ui, sans-serif`
const COLUMN_STYLE = 'max-width: 40em; margin: 0 auto'
const PARAGRAPH_STYLE = 'margin: 0 0 16px'
const LINK_STYLE = `color: ${COLORS.accent.light}`
const CODE_STYLE = `display: block; margin-top: 4px; padding: 8px 12px; border: 1px solid ${COLORS.line.light}; border-radius: 6px; background: ${COLORS.code.light}; font: 14px/1.5 ui-monospace, Menlo, Consolas, monospace; word-break: break-all`

function formatHtml(subject: string, blocks: readonly Block[]): string {
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>${subject}</title>
      </head>
      <body style="${BODY_STYLE}">
        <div style="${COLUMN_STYLE}">${blocks.map((block) => ['\n', formatBlock(block)])}</div>
      </body>
    </html>`
  return `${page.markup}\n`
}

function formatBlock(block: Block): Html {
  if (typeof block === 'string') return html`<p style="${PARAGRAPH_STYLE}">${block}</p>`
  const content =
    'link' in block
      ? html`<a style="${LINK_STYLE}" href="${block.link}">${block.link}</a>`
      : html`<code style="${CODE_STYLE}">${block.code}</code>`
  return html`<p style="${PARAGRAPH_STYLE}">${block.label}:<br />${content}</p>`
}
