// @ts-nocheck This runs in browsers; the package's own types are those of Node.

const announcement = document.getElementById('copied')
document.querySelectorAll('.copy').forEach(enableCopying)
document.querySelectorAll('details[data-from]').forEach((details) => {
  details.addEventListener('toggle', () => void loadSamples(details))
})
document.querySelectorAll('details[data-language]').forEach(followLanguage)
/** The language that the reader has opened, until the page is left; the address of a page of samples keeps it. */
let language = location.hash.slice(1)
showLanguage()

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
    details.querySelectorAll('[data-language]').forEach(followLanguage)
    showLanguage()
  } catch {
    // The link stays, and opening it again tries again.
    details.dataset.from = from
  }
}

/** A click, not the event `toggle`, which also comes when the script opens it. */
function followLanguage(details) {
  details.querySelector('summary').addEventListener('click', () => {
    if (details.open) return
    language = details.dataset.language
    if (document.querySelector('main.calls')) history.replaceState(null, '', `#${language}`)
    // The browser opens this one.
    for (const each of document.querySelectorAll('[data-language]'))
      if (each !== details) each.open = each.dataset.language === language
  })
}

/** Opens the reader's language in each list of samples. */
function showLanguage() {
  for (const each of document.querySelectorAll('[data-language]'))
    if (each.dataset.language === language) each.open = true
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
