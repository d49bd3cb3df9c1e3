// @ts-nocheck This runs in browsers; the package's own types are those of Node.
/* global enableCopying -- The build puts src/shared/web/copy-script.ts before this. */

document.querySelectorAll('details[data-from]').forEach((details) => {
  details.addEventListener('toggle', () => void loadSamples(details))
})
document.querySelectorAll('details[data-language]').forEach(followLanguage)
/** The language that the reader has opened, until the page is left; the address of a page of samples keeps it. */
let language = location.hash.slice(1)
showLanguage()

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
    if (!document.querySelector('.opening')) history.replaceState(null, '', `#${language}`)
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
