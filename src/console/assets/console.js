// @ts-nocheck This runs in browsers; the package's own types are those of Node.

// The copy buttons are hidden until this script has loaded.
const announcement = document.getElementById('copied')

for (const button of document.querySelectorAll('.copy')) {
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

async function copy(code) {
  try {
    await navigator.clipboard.writeText(code.textContent)
  } catch {
    // Without a secure context (http on another host than localhost) there is no navigator.clipboard.
    getSelection().selectAllChildren(code)
    document.execCommand('copy')
  }
}
