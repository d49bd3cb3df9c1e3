/** Formats the address of a page of the portal, relative to the page that is shown. */
export type Links = (...path: readonly string[]) => string

/**
 * Links from the page with that path below the mount. They are relative, so that pages work at any mount path and behind any
 * proxy.
 */
export function createLinks(from: readonly string[]): Links {
  const root = `./${'../'.repeat(Math.max(0, from.length - 1))}`
  return (...path) => root + formatPath(path)
}

/** The path of a page below the mount. */
export function formatPath(path: readonly string[]): string {
  return path.map(encodeURIComponent).join('/')
}
