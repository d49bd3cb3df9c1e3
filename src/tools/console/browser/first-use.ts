import { find, findAll } from './elements.js'
import { loadScript } from './fetch-page.js'
import { isSearchKey } from './search.js'

// The script of an API's samples: it loads that of references, three times as large as what it shows, when somebody searches or authorizes.

const { script = '' } = document.getElementById('reference')?.dataset ?? {}
const loaded = new AbortController()
const { signal } = loaded
let loading: Promise<boolean> | undefined

document.documentElement.classList.add('scripted')
for (const part of findAll(document, '.find, .menu')) part.hidden = false
// console.js copies.
for (const button of findAll(document, '.copyable .copy')) button.dataset['enabled'] = ''
for (const button of findAll(document, '.authorize, .menu, .list'))
  button.addEventListener('click', () => void load(() => button.click()), { signal })
const input = find(document, '.search', 'input')
input?.addEventListener('focus', () => void load(() => input.dispatchEvent(new Event('focus'))), { signal })
document.addEventListener('keydown', onKey, { signal })

function onKey(event: KeyboardEvent): void {
  if (!isSearchKey(event)) return
  event.preventDefault()
  void load(() => document.dispatchEvent(new KeyboardEvent('keydown', event)))
}

async function load(use: () => void): Promise<void> {
  loading ??= loadScript(script)
  if (!(await loading)) return void (loading = undefined)
  loaded.abort()
  use()
}
