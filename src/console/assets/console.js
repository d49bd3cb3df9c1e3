// @ts-nocheck This runs in browsers; the package's own types are those of Node.

const announcement = document.getElementById('copied')
document.querySelectorAll('.copy').forEach(enableCopying)
document.querySelectorAll('details[data-from]').forEach((details) => {
  details.addEventListener('toggle', () => void loadSamples(details))
})

/** Copy buttons are hidden until this script has loaded. */
function enableCopying(button) {
  const code = button.closest('.copyable').querySelector('code')
  button.hidden = false
  const show = (label, announced) => {
    button.textContent = label
    announcement.textContent = announced
  }
  button.addEventListener('click', () => {
    void copy(code).then(() => show('Copied', 'Copied'))
    setTimeout(show, 2000, 'Copy', '')
  })
}

/** Puts the samples of another page here, in place of the link to it. */
async function loadSamples(details) {
  const { from } = details.dataset
  if (!details.open || from === undefined) return
  delete details.dataset.from
  try {
    const text = await (await fetch(from)).text()
    const { children } = new DOMParser().parseFromString(text, 'text/html').querySelector('.samples')
    details.querySelector('p').replaceWith(...children)
    details.querySelectorAll('.copy').forEach(enableCopying)
  } catch {
    // The link stays, and opening it again tries again.
    details.dataset.from = from
  }
}

async function copy(code) {
  try {
    await navigator.clipboard.writeText(code.textContent)
  } catch {
    // Without a secure context (http on another host than localhost) there is no navigator.clipboard.
    getSelection().selectAllChildren(code)
    document.execCommand('copy')
  }
}
