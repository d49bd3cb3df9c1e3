import { enableCopyButtons } from './copy.js'
import { create, find, findAll } from './elements.js'
import type { PageCalls, Calls } from './calls.js'
import { loadScript } from './fetch-page.js'
import { enableNavigation, nameOperations } from './navigation.js'
import { findMain, readPage } from './page.js'
import { enableSearch, isSearchKey } from './search.js'
import { enableSheet, enableSidebar } from './sidebar.js'
import { enableSoftNavigation, type View } from './soft-navigation.js'
import { pageWords } from './words.js'

// The script of references: navigation and search. What calls the API is in calls.ts, a file that is loaded when it is needed.

declare const platformCalls: { createCalls(root: string): Calls }

const script = document.currentScript
if (script instanceof HTMLScriptElement && script.src !== '') start(new URL('../', script.src).href)

function start(root: string): void {
  document.documentElement.classList.add('scripted')
  const loader = createCallsLoader(root)
  const pages = enableSoftNavigation(root, () => createView(loader))
  pages.view().goToHash()
  // Browsers scroll to the element of the address when a page has loaded, and drop the focus.
  addEventListener('load', () => {
    if (document.activeElement === document.body) pages.view().goToHash()
  })

  document.addEventListener('keydown', (event) => {
    if (!isSearchKey(event) || document.querySelector('dialog.credentials[open]')) return
    if (pages.view().focusSearch()) event.preventDefault()
  })
  // A page that the browser kept for its Back button is never shown again as it was.
  addEventListener('pageshow', ({ persisted }) => persisted && location.reload())
}

function createView(loader: ReturnType<typeof createCallsLoader>): View {
  enableCopyButtons()
  const main = findMain()
  if (!main) return { goToHash: () => false, focusSearch: () => false, close() {}, dispose() {} }

  nameOperations(main)
  const page = readPage(main)
  let calls: PageCalls | undefined
  let loading: Promise<PageCalls | undefined> | undefined
  /** Loads the calls of this page, and uses them then; without them, the page says that they could not be loaded. */
  function loadCalls(use?: (loaded: PageCalls) => void): void {
    loading ??= loader.load(page.calls).then(
      (loaded) => (calls = loaded.enablePage(page)),
      () => {
        loading = undefined
        const state = find(document, '.state', 'span') ?? create('span')
        state.textContent = pageWords.scriptFailed
        return undefined
      },
    )
    void loading.then((loaded) => loaded && use?.(loaded))
  }
  // Credentials were entered on another page.
  if (loader.isLoaded()) loadCalls()
  const button = find(document, '.authorize', 'button')
  button?.addEventListener('click', () => loadCalls((loaded) => loaded.authorize()))

  const sidebar = document.getElementById('sidebar') ?? undefined
  const sheet = sidebar && enableSheet(sidebar, findAll(document, '.menu, .list'))
  const mark = sidebar && enableSidebar(sidebar, main)
  const search = sidebar && enableSearch(sidebar, main, page.search)
  sidebar?.addEventListener('click', ({ target }) => {
    if (target instanceof Element && target.closest('a')) sheet?.close()
  })
  const onForm = (form: HTMLFormElement): void => loadCalls((loaded) => loaded.enableForm(form))
  const focusSearch = (): boolean => {
    if (search) sheet?.open()
    search?.focus()
    return search !== undefined
  }
  find(document, '.menu', 'button')?.addEventListener('click', focusSearch)
  const goToHash = enableNavigation(main, mark, onForm, focusSearch)

  return {
    goToHash,
    focusSearch,
    close() {
      calls?.close()
      sheet?.close()
    },
    dispose: () => calls?.dispose(),
  }
}

/** Loads `calls.js` when it is first needed; the next call tries again if it cannot be loaded. `root`: the URL of the console's index. */
function createCallsLoader(root: string) {
  let calls: Calls | undefined
  return {
    isLoaded: () => calls !== undefined,
    async load(url: string): Promise<Calls> {
      if (!calls) await loadScript(url)
      return (calls ??= platformCalls.createCalls(root))
    },
  }
}
