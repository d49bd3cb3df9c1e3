// @ts-check
import { createHash } from 'node:crypto'

/** Escaped markup; only `html` creates it. */
class Html {
  #source

  /** @param {string} source */
  constructor(source) {
    this.#source = source
  }

  toString() {
    return this.#source
  }
}

/**
 * A template for HTML. Text values are escaped; results of `html`, and lists of them, are inserted as they are.
 * @param {TemplateStringsArray} strings
 * @param {...(string | Html | readonly Html[])} values
 */
export function html(strings, ...values) {
  return new Html(strings.reduce((before, after, i) => before + render(values[i - 1] ?? '') + after))
}

/** @param {string | Html | readonly Html[]} value @returns {string} */
function render(value) {
  if (value instanceof Html) return value.toString()
  if (typeof value !== 'string') return value.map(render).join('')
  return value.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

/**
 * Sends a page that runs no script, loads nothing, and is not cached.
 * @param {import('express').Response} res @param {string} title @param {Html} content
 */
export function sendPage(res, title, content) {
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>${title}</title>
        ${new Html(`<style>${STYLE}</style>`)}
      </head>
      <body>
        <main>
          <h1>${title}</h1>
          ${content}
        </main>
      </body>
    </html>`
  res.set({
    'Content-Security-Policy': POLICY,
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
  })
  res.type('html').send(page.toString())
}

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.55 system-ui, sans-serif }
body { margin: 0 auto; max-width: 48rem; padding: 1rem clamp(1rem, 4vw, 2.5rem) 4rem }
h1 { font-size: 1.75rem; line-height: 1.2; overflow-wrap: anywhere }
dl { display: grid; grid-template-columns: auto 1fr; gap: 0 1rem }
dd { margin: 0; overflow-wrap: anywhere }
p { overflow-wrap: anywhere }
li { margin: .5rem 0; overflow-wrap: anywhere }
pre { padding: .75rem 1rem; border: 1px solid; border-radius: .375rem; white-space: pre-wrap; overflow-wrap: anywhere; user-select: all }
`

const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')
