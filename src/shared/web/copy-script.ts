/**
 * Shows the buttons that copy the code beside them. A button says whether it did, to screen readers too. Without a secure context
 * there is no `navigator.clipboard`, and a browser may refuse it. The build puts it into console.js too; references have the same
 * in their bundled script.
 */
export const COPY_SCRIPT = `function enableCopying(button) {
  const code = button.closest('.copyable').querySelector('code')
  const { copied = 'Copied', notCopied = 'Not copied' } = button.dataset
  const label = button.textContent.trim(), name = button.getAttribute('aria-label') ?? label
  const show = (text) => { button.textContent = text; button.setAttribute('aria-label', name.replace(label, text)) }
  const status = document.createElement('span')
  status.className = 'unseen'
  status.setAttribute('role', 'status')
  button.after(status)
  const select = () => { getSelection().selectAllChildren(code); return document.execCommand('copy') }
  const write = async () => { try { await navigator.clipboard.writeText(code.textContent); return true } catch { return select() } }
  button.hidden = false
  button.addEventListener('click', async () => {
    status.textContent = await write() ? copied : notCopied
    show(status.textContent)
    setTimeout(() => { show(label); status.textContent = '' }, 2000)
  })
}
document.querySelectorAll('.copyable .copy').forEach(enableCopying)
`
