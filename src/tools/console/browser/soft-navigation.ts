import { focusOn } from './elements.js'
import { fetchPage, loadStyles } from './fetch-page.js'
import { isPlainClick } from './navigation.js'

export interface View {
  /** Opens, scrolls to and focuses the operation that the address names. Returns whether there is one. */
  goToHash(): boolean
  focusSearch(): boolean
  close(): void
  dispose(): void
}

interface KeptPage {
  readonly nodes: readonly ChildNode[]
  readonly title: string
  readonly className: string
  readonly scroll: number
  readonly view: View
}

/** The page is kept with the reader's input, for Back and Forward. */
const MAX_KEPT_PAGES = 10
/** Pages below the console's root may replace each other. The others have forms, which the policy of this page forbids. */
const PAGES = /^(?:$|apis\/|guides\/|changelog$)/

/** Follows links of the console without leaving the page, which alone has the authorization in memory. `root`: the URL of the index. */
export function enableSoftNavigation(root: string, createView: () => View): { view(): View } {
  // A relative URL would be requested again at each address.
  for (const icon of document.querySelectorAll<HTMLLinkElement>('link[rel="icon"]'))
    icon.setAttribute('href', icon.href)
  const kept = new Map<string, KeptPage>()
  let view = createView()
  let path = readPath(location)
  let running: AbortController | undefined

  async function go(url: URL, isFromHistory: boolean): Promise<void> {
    running?.abort()
    const controller = new AbortController()
    running = controller
    const known = kept.get(readPath(url))
    const fetched = known ? undefined : await fetchPageWithStyles(url.href, controller.signal)
    if (controller.signal.aborted) return
    if (!known && !fetched) return isFromHistory ? location.reload() : location.assign(url.href)
    leave()
    if (!isFromHistory) history.pushState(null, '', url)
    path = readPath(url)
    if (known) show(known)
    else if (fetched)
      show({ nodes: [...fetched.body.childNodes], title: fetched.title, className: fetched.body.className })
    view = known?.view ?? createView()
    document.dispatchEvent(new Event('consolepage'))
    const heading = document.querySelector('h1')
    if (known && isFromHistory) {
      focusOn(heading, { preventScroll: true })
      scrollTo(0, known.scroll)
    } else if (!view.goToHash()) {
      focusOn(heading, { preventScroll: true })
      scrollTo(0, 0)
    }
  }

  function leave(): void {
    view.close()
    const { className } = document.body
    kept.set(path, { nodes: [...document.body.childNodes], title: document.title, className, scroll: scrollY, view })
    const [oldest] = kept
    if (!oldest || kept.size <= MAX_KEPT_PAGES) return
    oldest[1].view.dispose()
    kept.delete(oldest[0])
  }

  function show({ nodes, title, className }: Pick<KeptPage, 'nodes' | 'title' | 'className'>): void {
    kept.delete(path)
    document.title = title
    document.body.className = className
    document.body.replaceChildren(...nodes)
  }

  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[href]') : null
    if (!link || !isPlainClick(event) || link.target !== '' || link.hasAttribute('download')) return
    const url = new URL(link.href)
    if (readPath(url) === path && url.hash !== '') {
      // A link to the current address changes nothing, so there would be no event.
      if (url.hash === location.hash && view.goToHash()) event.preventDefault()
    } else if (isPage(url, root)) {
      event.preventDefault()
      void go(url, false)
    }
  })
  addEventListener('popstate', () => {
    if (readPath(location) !== path) void go(new URL(location.href), true)
  })
  addEventListener('hashchange', () => {
    if (readPath(location) === path) view.goToHash()
  })
  return { view: () => view }
}

/** Whether a URL may be a page that can be shown in place of this one. A document, such as openapi.json, is recognized later, by its media type. */
function isPage(url: URL, root: string): boolean {
  const address = url.origin + url.pathname
  return address.startsWith(root) && PAGES.test(address.slice(root.length))
}

function readPath({ pathname, search }: URL | Location): string {
  return pathname + search
}

async function fetchPageWithStyles(url: string, signal: AbortSignal): Promise<Document | undefined> {
  document.documentElement.setAttribute('aria-busy', 'true')
  const page = await fetchPage(url, signal)
  if (page) await loadStyles(page, url)
  document.documentElement.removeAttribute('aria-busy')
  return page
}
