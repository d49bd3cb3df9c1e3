/**
 * The scripts of the portal's pages, which are in the pages and allowed by their hashes. Every page works without them, except
 * those that read the fragment of a link.
 */
export const SCRIPTS = {
  /** Moves the token from the link's fragment into the form, so that only a click sends it. */
  fragment: `const token = location.hash.slice(1)
history.replaceState(null, '', location.pathname)
if (token) {
  document.getElementById('token').value = token
  document.getElementById('confirm').hidden = false
} else {
  document.getElementById('incomplete').hidden = false
}
`,
} as const
