import { enableCopyButtons } from './copy.js'
import { create, find } from './elements.js'
import type { PageCalls, Calls } from './calls.js'
import { enableNavigation, nameOperations } from './navigation.js'
import { findMain, readPage } from './page.js'
import { enableSearch } from './search.js'
import { enableSheet, enableSidebar } from './sidebar.js'
import { enableSoftNavigation, type View } from './soft-navigation.js'
import { pageWords } from './words.js'

// The script of references: navigation and search. What calls the API is in calls.ts, a file that is loaded when it is needed.

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
    const { key, ctrlKey, metaKey, altKey, target } = event
    const isSlash = key === '/' && !ctrlKey && !metaKey && !altKey && !isTyping(target)
    const isCtrlK = key.toLowerCase() === 'k' && (ctrlKey || metaKey) && !altKey
    if ((!isSlash && !isCtrlK) || document.querySelector('dialog.credentials[open]')) return
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
  const menu = find(document, '.menu', 'button')
  const sheet = sidebar && menu && enableSheet(sidebar, menu)
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

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches('input, select, textarea'))
}

/** Loads `calls.js` once, when it is first needed. `root`: the URL of the console's index. */
function createCallsLoader(root: string) {
  let loading: Promise<Calls> | undefined
  return {
    isLoaded: () => 'platformCalls' in globalThis,
    /** Rejects if the file cannot be loaded; the next call tries again. */
    load(url: string): Promise<Calls> {
      loading ??= loadScript(url).then(
        () =>
          (globalThis as unknown as { platformCalls: { createCalls(root: string): Calls } }).platformCalls.createCalls(
            root,
          ),
        (error: unknown) => {
          loading = undefined
          throw error
        },
      )
      return loading
    },
  }
}

function loadScript(src: string): Promise<void> {
  return new Promise((loaded, failed) => {
    const script = document.createElement('script')
    script.addEventListener('load', () => loaded())
    script.addEventListener('error', () => failed(new Error(`${src} could not be loaded.`)))
    script.src = src
    document.head.append(script)
  })
}
