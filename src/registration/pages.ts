import { createHash } from 'node:crypto'
import type { Api } from '../contracts/api.js'
import { escapeHtml } from '../lib/html.js'

/** Where the console is, for the way back; undefined where nobody said. */
export type Home = string | undefined

/** `GET /`: the form. `problem` says in words what was wrong with the last one. */
export function registrationPage(
  apis: readonly (Api & { readonly manual: boolean })[],
  home: Home,
  problem?: string,
): string {
  const choices = apis.map(
    ({ name, title, description, manual }) => `
      <label class="choice">
        <input type="checkbox" name="apis" value="${escapeHtml(name)}">
        <span><strong>${escapeHtml(title)}</strong>${description ? `<br>${escapeHtml(description)}` : ''}
        ${manual ? '<br><em>We look at each request for this API before it is opened.</em>' : ''}</span>
      </label>`,
  )
  return page(
    'Register an application',
    home,
    `
    ${problem ? `<p class="problem" role="alert">${escapeHtml(problem)}</p>` : ''}
    <form method="post">
      <label>Name of your application
        <input name="name" required maxlength="100" autocomplete="organization">
      </label>
      <label>E-mail address of the people who run it
        <input name="contact" type="email" required maxlength="254" autocomplete="email">
      </label>
      <fieldset><legend>What it is to use</legend>${choices.join('')}</fieldset>
      <button>Register</button>
    </form>
    <h2>What happens next</h2>
    <p>Key and secret are sent to that address, with lines to try them. Where an API is opened by hand, the email comes
    once that has been done. They work from then on; nothing else is needed.</p>`,
  )
}

/** `POST /`: the same words for everybody, whoever is known. */
export function registeredPage(home: Home): string {
  return page(
    'Thank you',
    home,
    `<p>Your registration has been received. The credentials are on their way to the e-mail address that you gave;
    where an API is opened by hand, they follow once that has been done.</p>`,
  )
}

/** `GET /claim`: shows credentials on a click; the link's token stays in the browser until then. */
export function claimPage(home: Home): string {
  return page(
    'Your credentials',
    home,
    `<div id="claim">
      <p>Your credentials are shown once. Have a safe place ready to put them.</p>
      <button id="show">Show my credentials</button>
      <p id="problem" class="problem" role="alert" hidden></p>
      <dl id="credentials" hidden></dl>
    </div>
    <noscript><p>This page needs JavaScript: the link's secret part never leaves your browser by itself.</p></noscript>`,
    CLAIM_SCRIPT,
  )
}

/** Sends the fragment by POST, and forgets it. */
const CLAIM_SCRIPT = `const token = location.hash.slice(1)
history.replaceState(null, '', location.pathname)
const byId = (id) => document.getElementById(id)
byId('show').addEventListener('click', async () => {
  byId('show').disabled = true
  const fail = (text) => { byId('problem').textContent = text; byId('problem').hidden = false }
  try {
    const response = await fetch(location.pathname, {
      method: 'POST', credentials: 'omit', cache: 'no-store',
      headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ token }),
    })
    const answer = await response.json()
    if (!response.ok) return fail(answer.error_description)
    for (const [label, value] of [['Key', answer.client_id], ['Secret', answer.client_secret]]) {
      if (!value) continue
      const term = document.createElement('dt'), text = document.createElement('dd'), code = document.createElement('code')
      term.textContent = label
      code.textContent = value
      text.append(code)
      byId('credentials').append(term, text)
    }
    byId('credentials').hidden = false
    byId('show').hidden = true
  } catch {
    byId('show').disabled = false
    fail('The credentials could not be fetched. Try again.')
  }
})
`

/** The palette is the console's: src/console/assets/console.css. */
const STYLE = `:root {
  color-scheme: light dark;
  --paper: light-dark(#fdfdfc, #14171a);
  --raised: light-dark(#ffffff, #1b1f23);
  --code: light-dark(#f3f4f2, #20252a);
  --ink: light-dark(#1d2125, #e6e8ea);
  --soft: light-dark(#58616a, #a5aeb6);
  --line: light-dark(#dfe2e4, #343a40);
  --accent: light-dark(#0f5f8c, #7cc0ea);
  --on-accent: light-dark(#ffffff, #0c1922);
  --bad: light-dark(#a3261d, #ff9d93);
  --sans: system-ui, sans-serif;
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace;
  font: 16px/1.55 var(--sans);
  color: var(--ink);
  background: var(--paper);
}
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 36rem; padding: 0 clamp(1rem, 4vw, 2.5rem) 4rem }
header { padding: 1rem 0; border-bottom: 1px solid var(--line); font-size: .9375rem }
header a::before { content: '←'; display: inline-block; margin-right: .5em }
h1 { margin: clamp(1.5rem, 4vw, 3rem) 0 1.5rem; font-size: clamp(1.75rem, 1.4rem + 1.6vw, 2.4rem); font-weight: 650; line-height: 1.15; email-spacing: -.02em }
h2 { margin: 2.5rem 0 .5rem; font-size: 1.125rem; font-weight: 650 }
p { margin: 0 0 1rem }
a { color: var(--accent); text-underline-offset: .2em; text-decoration-thickness: 1px }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 2px }
form { display: grid; gap: 1.25rem }
label { display: grid; gap: .375rem; font-weight: 550 }
input:not([type=checkbox]) { width: 100%; padding: .5rem .75rem; border: 1px solid var(--soft); border-radius: 6px; color: inherit; background: var(--raised); font: inherit; font-weight: 400 }
fieldset { margin: 0; padding: 0; border: 0 }
legend { padding: 0; margin-bottom: .375rem; font-weight: 550 }
.choice { display: flex; gap: .75rem; align-items: baseline; padding: .75rem 1rem; border: 1px solid var(--line); background: var(--raised); font-weight: 400 }
.choice:first-of-type { border-radius: 8px 8px 0 0 }
.choice:last-of-type { border-radius: 0 0 8px 8px }
.choice:only-of-type { border-radius: 8px }
.choice + .choice { border-top: 0 }
.choice strong { font-weight: 600 }
.choice em { color: var(--soft); font-style: normal }
button { justify-self: start; padding: .5rem 1rem; border: 1px solid var(--accent); border-radius: 6px; color: var(--on-accent); background: var(--accent); font: inherit; font-weight: 550; cursor: pointer }
button:hover { filter: brightness(1.08) }
button:disabled { opacity: .6; cursor: default }
.problem { margin: 0 0 1.25rem; padding: .5rem .75rem; border-left: 3px solid var(--bad); background: var(--code) }
dl { margin: 0 }
dt { margin-top: 1rem; color: var(--soft); font-size: .875rem }
dd { margin: .25rem 0 0 }
code { display: block; padding: .75rem 1rem; border: 1px solid var(--line); border-radius: 8px; background: var(--code); font: .875rem/1.5 var(--mono); overflow-wrap: anywhere; user-select: all }
`

/**
 * Style and script stand in the page, allowed by their hashes: a page of one piece needs no address of its own, below
 * whatever path and behind whatever proxy it is served.
 */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src '${hashOf(STYLE)}'`,
  `script-src '${hashOf(CLAIM_SCRIPT)}'`,
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}

function page(heading: string, home: Home, content: string, script?: string): string {
  return `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>${escapeHtml(heading)}</title>
  <style>${STYLE}</style>
</head>
<body>
  ${home === undefined ? '' : `<header><a href="${escapeHtml(home)}">All APIs</a></header>`}
  <main>
    <h1>${escapeHtml(heading)}</h1>
    ${content}
  </main>
  ${script ? `<script>${script}</script>` : ''}
</body>
</html>
`
}
