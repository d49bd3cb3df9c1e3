import { COPY_SCRIPT } from './copy-script.js'

/**
 * The entry of a page that answers a form becomes one of its address, which shows the form. Otherwise a reload, and Back from the next
 * page, would ask whether to send the form again.
 */
export const FORGET_FORM_SCRIPT = `history.replaceState(null, '')
`

/** For pages with forms or new credentials: each form is sent once, because the answer to a second click would hide a new credential. */
export const FORM_SCRIPT = `${FORGET_FORM_SCRIPT}${COPY_SCRIPT}for (const form of document.querySelectorAll('form:not(.download)')) {
  let isSent = false
  form.addEventListener('submit', (event) => {
    if (isSent) event.preventDefault()
    isSent = true
  })
}
addEventListener('pageshow', ({ persisted }) => { if (persisted) location.reload() })
`
