/** A page of the console of the same version: names of its files have hashes. Undefined if there is none. */
export async function fetchPage(url: string, signal: AbortSignal | null = null): Promise<Document | undefined> {
  try {
    // Cookies are sent, because the console may be behind the host's own log-in.
    const response = await fetch(url, { credentials: 'same-origin', headers: { Accept: 'text/html' }, signal })
    if (!response.ok || !response.headers.get('Content-Type')?.startsWith('text/html')) return undefined
    const page = new DOMParser().parseFromString(await response.text(), 'text/html')
    const isSameVersion = listStyles(page, response.url || url).some(
      (style) => style.includes('/assets/console.') && loadedStyles.has(style),
    )
    return isSameVersion ? page : undefined
  } catch {
    return undefined
  }
}

/** Loads the style sheets of a page that this one lacks. */
export async function loadStyles(page: Document, url: string): Promise<void> {
  await Promise.all(
    listStyles(page, url)
      .filter((style) => !loadedStyles.has(style))
      .map(loadStyle),
  )
}

/** The URLs are absolute, as they were when the page was loaded: relative ones change their meaning with the page's address. */
const loadedStyles = new Set(listStyles(document, document.baseURI))

/** The URLs of the style sheets of a page. Documents of DOMParser have the address of this page, not their own. */
function listStyles(page: Document, base: string): string[] {
  const links = [...page.querySelectorAll('link[rel="stylesheet"]')]
  return links.map((link) => new URL(link.getAttribute('href') ?? '', base).href)
}

function loadStyle(href: string): Promise<boolean> {
  loadedStyles.add(href)
  return load(Object.assign(document.createElement('link'), { rel: 'stylesheet', href }))
}

/** Resolves whether it could be loaded. */
export function loadScript(src: string): Promise<boolean> {
  return load(Object.assign(document.createElement('script'), { src }))
}

function load(element: HTMLElement): Promise<boolean> {
  return new Promise((loaded) => {
    element.addEventListener('load', () => loaded(true))
    element.addEventListener('error', () => loaded(false))
    document.head.append(element)
  })
}
