import { html } from '../../web/html.js'
import { createContentSecurityPolicy, renderPage, type PageLinks } from '../../web/public-page.js'

/** `GET /claim`: shows credentials on a click. The claim token stays in the browser until then. */
export function renderClaimPage(links: PageLinks): string {
  return renderPage(
    'Your credentials',
    links,
    html`<div id="claim">
        <p>Your credentials are shown only once. Be ready to store them in a safe place.</p>
        <button id="show">Show my credentials</button>
        <p id="problem" class="problem" role="alert" hidden></p>
        <p id="done" role="status" tabindex="-1"></p>
        <dl id="credentials" hidden></dl>
      </div>
      <noscript><p>This page needs JavaScript, which sends the secret part of the link when you click.</p></noscript>`,
    { script: CLAIM_SCRIPT },
  )
}

/**
 * Removes the claim token from the address, and sends it by POST on a click. A link that is followed in the same tab changes only
 * the fragment. Credentials that are shown stay: nobody can show them again.
 */
const CLAIM_SCRIPT = `const byId = (id) => document.getElementById(id)
let token = ''
function follow() {
  if (!location.hash) return
  token = location.hash.slice(1)
  history.replaceState(null, '', location.pathname)
  byId('problem').hidden = true
  byId('show').hidden = byId('show').disabled = false
}
addEventListener('hashchange', follow)
follow()
byId('show').addEventListener('click', async () => {
  const sent = token
  byId('show').disabled = true
  const fail = (text, again) => {
    if (sent !== token) return
    byId('show').disabled = !again
    byId('problem').textContent = text
    byId('problem').hidden = false
    if (again) byId('show').focus()
  }
  try {
    const response = await fetch(location.pathname, {
      method: 'POST', credentials: 'omit', cache: 'no-store',
      headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ token: sent }),
    })
    const answer = await response.json()
    if (!response.ok) return fail(answer.error_description, response.status !== 400)
    for (const [label, value, end] of [
      ['Key', answer.client_id, answer.key_expires_at], ['Secret', answer.client_secret, answer.secret_expires_at],
    ]) {
      if (!value) continue
      const term = document.createElement('dt'), text = document.createElement('dd'), code = document.createElement('code')
      term.textContent = label
      code.textContent = value
      text.append(code)
      byId('credentials').append(term, text)
      if (!end) continue
      const note = document.createElement('dd'), time = document.createElement('time')
      time.dateTime = end
      time.textContent = end.slice(0, 19).replace('T', ' ') + ' UTC'
      note.append('It expires at ', time)
      byId('credentials').append(note)
    }
    byId('credentials').hidden = false
    if (sent === token) byId('show').hidden = true
    // The text is announced, and stands in place of the button, which had the focus.
    byId('done').textContent = 'Here are your credentials. Store them now.'
    byId('done').focus()
  } catch {
    fail('The credentials could not be fetched. Try again.', true)
  }
})
`

export const CLAIM_SECURITY_POLICY = createContentSecurityPolicy(CLAIM_SCRIPT)
