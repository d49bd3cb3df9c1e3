/** A page of the console, of the same version as this one; undefined if there is none. Its scripts do not run. */
export async function fetchPage(url: string, signal: AbortSignal | null = null): Promise<Document | undefined> {
  try {
    // With cookies: the console may be behind the host's own log-in.
    const response = await fetch(url, { credentials: 'same-origin', headers: { Accept: 'text/html' }, signal })
    if (!response.ok || !response.headers.get('Content-Type')?.startsWith('text/html')) return undefined
    const page = new DOMParser().parseFromString(await response.text(), 'text/html')
    const styles = [...page.querySelectorAll('link[rel="stylesheet"]')].map((link) =>
      resolve(link, 'href', response.url || url),
    )
    return styles.some((style) => style.includes('/assets/console.') && isLoaded(style)) ? page : undefined
  } catch {
    return undefined
  }
}

/** The URL of an attribute, absolute. Documents of DOMParser have the address of this page, not their own. */
export function resolve(element: Element, attribute: string, base: string): string {
  return new URL(element.getAttribute(attribute) ?? '', base).href
}

/** The name of a style sheet contains a hash of its content. A page of another version names another. */
function isLoaded(style: string): boolean {
  return [...document.querySelectorAll<HTMLLinkElement>('link[rel="stylesheet"]')].some(({ href }) => href === style)
}
