import { COPY_SCRIPT } from '../../../shared/web/copy-script.js'

/** Shows the buttons that copy, and sends each form once: the answer to a second click would hide a new credential. */
const FORM_SCRIPT = `${COPY_SCRIPT}for (const form of document.querySelectorAll('form:not(.download)')) {
  let isSent = false
  form.addEventListener('submit', (event) => {
    if (isSent) event.preventDefault()
    isSent = true
  })
}
addEventListener('pageshow', ({ persisted }) => { if (persisted) location.reload() })
`

/** The scripts of the portal. Every page works without them, except those that read the fragment of a link. */
export const getScripts = once(() => ({
  /** Moves the token from the link's fragment into the form, so that only a click sends it. */
  fragment: `const token = location.hash.slice(1)
history.replaceState(null, '', location.pathname)
if (token) {
  document.getElementById('token').value = token
  document.getElementById('confirm').hidden = false
} else {
  document.getElementById('incomplete').hidden = false
}
addEventListener('hashchange', () => location.reload())
`,
  /** Pages with forms, and with a new credential. */
  form: FORM_SCRIPT,
}))

/** Makes a value when it is first asked for, and keeps it. */
function once<Value extends object>(make: () => Value): () => Value {
  let value: Value | undefined
  return () => (value ??= make())
}
