// @ts-nocheck This runs in browsers; the package's own types are those of Node.

// The copy buttons, which nobody without this script gets to see.
const said = document.getElementById('copied')

for (const button of document.querySelectorAll('.copy')) {
  const code = button.closest('.copyable').querySelector('code')
  button.hidden = false
  const tell = (now, aloud) => {
    button.textContent = now
    said.textContent = aloud
  }
  button.addEventListener('click', () => {
    void copy(code).then(() => tell('Copied', 'Copied'))
    setTimeout(tell, 2000, 'Copy', '')
  })
}

async function copy(code) {
  try {
    await navigator.clipboard.writeText(code.textContent)
  } catch {
    // Over http elsewhere than on localhost, browsers have no clipboard for pages but this one.
    getSelection().selectAllChildren(code)
    document.execCommand('copy')
  }
}
