import type { Brand } from '../../shared/contracts/brand.js'
import type { EmailCode, EmailLink, EmailTexts } from '../../shared/contracts/composed-email.js'
import type { Language } from '../../shared/contracts/application-record.js'
import { escapeHidden } from '../../shared/lib/visible-text.js'
import { getFormats } from '../../shared/web/formats.js'
import { html, keepWhole, type Html } from '../../shared/web/html.js'
import { COLORS, CORNERS, TEXT_SIZES } from '../../shared/web/look.js'

/** A table, because Outlook has padding in cells only. The style sheet only adds dark colours, which Gmail ignores. */
export function formatHtml(
  texts: EmailTexts,
  page: {
    readonly language: Language
    readonly colon: string
    readonly brand: Brand
    /** Shown where the brand has no name, and below the e-mail. */
    readonly host: string
  },
): string {
  const { language, colon, brand, host } = page
  const style = { ...createStyles(brand), colon }
  const { subject, heading, paragraphs, box, facts, actions, sections, links, notes } = texts
  const rows = [
    renderRow(html`<span class="accent" style="${style.brand}">${brand.name ?? host}</span>`, TOP),
    renderRow(html`<h1 class="ink" style="${style.heading}">${heading}</h1>`),
    ...paragraphs.map((text) => renderRow(html`<span class="ink" style="${style.text}">${text}</span>`)),
    ...box.flatMap((each) => renderCode(each, style, style.boxed)),
    ...(facts.length > 0 ? [renderRow(renderFacts(facts, style), FACTS)] : []),
    ...(actions.length > 0 ? [renderRow(renderButtons(actions, style), BOTTOM)] : []),
    ...sections.flatMap((section) => [
      renderRow(html`<h2 class="ink" style="${style.title}">${section.title}</h2>`, SECTION),
      ...section.codes.flatMap((each) => renderCode(each, style, style.code)),
      ...section.links.map((each) => renderRow(renderLink(each, style))),
    ]),
    ...links.map((each) => renderRow(renderLink(each, style))),
    ...notes.map((text) => renderRow(html`<span class="soft" style="${style.note}">${text}</span>`)),
  ]
  const { markup } = keepWhole(
    html`<!doctype html>
      <html lang="${language}">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="format-detection" content="telephone=no, date=no, address=no, email=no, url=no" />
          <meta name="color-scheme" content="light dark" />
          <meta name="supported-color-schemes" content="light dark" />
          <title>${subject}</title>
          ${{ markup: `<style>${createDarkStyles(brand)}</style>` }}
        </head>
        <body class="paper" style="${style.body}">
          <table ${TABLE} class="paper" style="${style.page}">
            <tr>
              <td align="center" style="padding: 24px 12px">
                <table ${TABLE} class="card" style="${style.card}">
                  ${rows.map((row) => ['\n', row])}
                  <tr>
                    <td style="padding: 0 0 16px"></td>
                  </tr>
                </table>
              </td>
            </tr>
            <tr>
              <td align="center" class="soft" style="${style.foot}">
                ${brand.name !== undefined && brand.name !== host && `${brand.name} · `}${host}
              </td>
            </tr>
          </table>
        </body>
      </html>`,
  )
  return `${markup}\n`
}

const TABLE = html`role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"`
const SANS = '-apple-system, Segoe UI, Roboto, Helvetica, Arial, sans-serif'
const MONO = 'ui-monospace, Menlo, Consolas, Courier New, monospace'
const MONO_STYLE = `font-family: ${MONO}`
/** Between words first. A mail program that does not know the second one keeps the first. */
const BREAK = 'word-break: break-all; word-break: break-word'
const ROW = 'padding: 0 32px 12px'
const TOP = 'padding: 28px 32px 20px'
const SECTION = 'padding: 8px 32px 12px'
const FACTS = 'padding: 8px 32px 16px'
const BOTTOM = 'padding: 8px 32px 24px'

type Styles = ReturnType<typeof createStyles> & { readonly colon: string }

/** Fonts have no shorthand: parts of it are lost in Gmail for accounts of other providers. */
function createStyles({ accent }: Brand) {
  const font = (size: keyof typeof TEXT_SIZES, color: string, family = SANS): string =>
    `font-family: ${family}; font-size: ${TEXT_SIZES[size]}px; line-height: 1.5; color: ${color}`
  const ink = COLORS.ink.light
  const code = `${font('small', ink, MONO)}; padding: 8px 12px; border: 1px solid ${COLORS.line.light}; border-radius: ${CORNERS.control}px; background-color: ${COLORS.code.light}; ${BREAK}`
  return {
    body: `margin: 0; padding: 0; background-color: ${COLORS.code.light}`,
    page: `background-color: ${COLORS.code.light}`,
    card: `max-width: 600px; background-color: ${COLORS.raised.light}; border: 1px solid ${COLORS.line.light}; border-top: 4px solid ${accent.light}; border-radius: ${CORNERS.box}px`,
    brand: `${font('plain', accent.light)}; font-weight: 600`,
    heading: `${font('title', ink)}; line-height: 1.25; font-weight: 600; margin: 0`,
    text: font('plain', ink),
    title: `${font('large', ink)}; font-weight: 600; margin: 0`,
    label: font('small', COLORS.soft.light),
    fact: `${font('small', COLORS.soft.light)}; padding: 8px 12px 8px 0; border-top: 1px solid ${COLORS.line.light}`,
    value: `color: ${ink}; word-break: break-word`,
    code,
    boxed: `${code}; font-size: ${TEXT_SIZES.plain}px; padding: 14px 16px; word-break: break-all`,
    button: `background-color: ${accent.light}; border: 1px solid ${accent.light}; border-radius: ${CORNERS.control}px; mso-padding-alt: 11px 22px`,
    buttonLink: `${font('plain', COLORS['on-accent'].light)}; display: inline-block; padding: 11px 22px; font-weight: 600; text-decoration: none`,
    quiet: `border: 1px solid ${accent.light}; border-radius: ${CORNERS.control}px; mso-padding-alt: 11px 22px`,
    quietLink: `${font('plain', accent.light)}; display: inline-block; padding: 11px 22px; font-weight: 600; text-decoration: none`,
    link: `${font('small', accent.light)}; ${BREAK}`,
    note: font('small', COLORS.soft.light),
    foot: `${font('tiny', COLORS.soft.light)}; padding: 0 12px 24px`,
  }
}

/** A style for Apple Mail and the newer Outlooks. It needs classes, because such a rule cannot be inline. */
function createDarkStyles({ accent }: Brand): string {
  const { paper, raised, ink, soft, code, line } = COLORS
  // As on pages: white on the product's own colour, unless the brand has another one.
  const isOwn = accent.dark !== COLORS.accent.dark
  const [fill, onFill] = isOwn ? [accent.dark, COLORS['on-accent'].dark] : [COLORS.fill.dark, '#ffffff']
  return `
:root { color-scheme: light dark; supported-color-schemes: light dark }
.whole { white-space: nowrap }
@media (prefers-color-scheme: dark) {
  .paper { background-color: ${paper.dark} !important }
  .card { background-color: ${raised.dark} !important; border-color: ${line.dark} !important; border-top-color: ${accent.dark} !important }
  .ink { color: ${ink.dark} !important }
  .soft { color: ${soft.dark} !important }
  .fact { border-color: ${line.dark} !important }
  .code { color: ${ink.dark} !important; background-color: ${code.dark} !important; border-color: ${line.dark} !important }
  .accent { color: ${accent.dark} !important }
  .button { background-color: ${fill} !important; border-color: ${fill} !important }
  .on-accent { color: ${onFill} !important }
  .quiet { border-color: ${accent.dark} !important }
}
@media (max-width: 480px) {
  .row { padding-left: 16px !important; padding-right: 16px !important }
}
`
}

function renderRow(content: Html, padding = ROW): Html {
  return html`<tr>
    <td class="row" style="${padding}">${content}</td>
  </tr>`
}

/** The code is alone in its cell, so that a double or triple click selects it and nothing else. */
function renderCode({ label, code }: EmailCode, style: Styles, codeStyle: string): Html[] {
  return [
    renderRow(html`<span class="soft" style="${style.label}">${label}${style.colon}</span>`, 'padding: 4px 32px'),
    renderRow(
      html`<table ${TABLE}>
        <tr>
          <td class="code" style="${codeStyle}">
            <code style="${MONO_STYLE}">${renderLines(code)}</code>
          </td>
        </tr>
      </table>`,
    ),
  ]
}

/** Labels and values in two columns. As above, a value is alone in its cell. */
function renderFacts(facts: readonly EmailCode[], style: Styles): Html {
  return html`<table ${TABLE}>
    ${facts.map(
      ({ label, code }) =>
        html`<tr>
          <td class="soft fact" valign="top" width="36%" style="${style.fact}">${label}${style.colon}</td>
          <td class="ink fact" valign="top" style="${style.fact}; ${style.value}">${renderLines(code)}</td>
        </tr> `,
    )}
  </table>`
}

function renderLines(text: string): Html {
  return html`${text.split('\n').map((line, at) => html`${at > 0 && html`<br />`}${line}`)}`
}

/** The background is the cell's, because Outlook on Windows has none around the text of a link. */
function renderButtons(actions: readonly EmailLink[], style: Styles): Html {
  const [main, ...others] = actions.map(({ label, link }, index) =>
    index === 0
      ? html`<td class="button" style="${style.button}">
          <a class="on-accent" style="${style.buttonLink}" href="${link}">${label}</a>
        </td>`
      : html`<td class="quiet" style="${style.quiet}">
          <a class="accent" style="${style.quietLink}" href="${link}">${label}</a>
        </td>`,
  )
  return html`<table role="presentation" cellpadding="0" cellspacing="0" border="0">
    <tr>
      ${main}${others.map(
        (each) =>
          html`<td style="padding: 0 0 0 12px"></td>
            ${each}`,
      )}
    </tr>
  </table>`
}

function renderLink({ label, link }: EmailLink, style: Styles): Html {
  return html`<span class="soft" style="${style.label}">${label}${style.colon}</span><br /><a
      class="accent"
      style="${style.link}"
      href="${link}"
      >${formatLinkText(link)}</a
    >`
}

function formatLinkText(link: string): string {
  const [, address] = /^mailto:([^?]+)/.exec(link) ?? []
  return address ?? link
}

export function formatText({ paragraphs, box, facts, actions, sections, links, notes }: EmailTexts, colon: string) {
  const formatCode = ({ label, code }: EmailCode): string =>
    `${label}${colon}\n\n    ${code.replaceAll('\n', '\n    ')}`
  const formatLink = ({ label, link }: EmailLink): string => formatCode({ label, code: formatLinkText(link) })
  const blocks = [
    ...paragraphs,
    ...box.map(formatCode),
    ...facts.map(formatCode),
    ...actions.map(formatLink),
    ...sections.flatMap((section) => [
      `${section.title}\n${'-'.repeat(section.title.length)}`,
      ...section.codes.map(formatCode),
      ...section.links.map(formatLink),
    ]),
    ...links.map(formatLink),
    ...notes,
  ]
  // As in the HTML: marks of the direction would show a text that is not the one that was written.
  return escapeHidden(`${blocks.join('\n\n')}\n`)
}

/** A time such as `31 Jan 2027, 10:00 UTC`, rounded down to the minute: nobody may count on a moment too late. */
export function formatTime(time: Date, language: Language): string {
  return `${getFormats(language).dateTime.format(time)} UTC`
}
