/**
 * Shows the buttons that copy the code beside them. A button says whether it did, to screen readers too. Without a secure context
 * there is no `navigator.clipboard`, and a browser may refuse it. References have the same in their bundled script.
 */
export const COPY_SCRIPT = `for (const button of document.querySelectorAll('.copyable .copy')) {
  const code = button.closest('.copyable').querySelector('code')
  const status = document.createElement('span')
  status.className = 'unseen'
  status.setAttribute('role', 'status')
  button.after(status)
  const select = () => { getSelection().selectAllChildren(code); return document.execCommand('copy') }
  const write = async () => { try { await navigator.clipboard.writeText(code.textContent); return true } catch { return select() } }
  button.hidden = false
  button.addEventListener('click', async () => {
    button.textContent = status.textContent = await write() ? 'Copied' : 'Not copied'
    setTimeout(() => { button.textContent = 'Copy'; status.textContent = '' }, 2000)
  })
}
`
