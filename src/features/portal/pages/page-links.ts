/** The address of a page of the portal, with each segment of its path encoded. */
export type Links = (...path: readonly string[]) => string

/** Links below that path, which has no slash at its end. */
export function createLinks(root: string): Links {
  return (...path) => [root, formatPath(path)].join('/')
}

/** The path of a page below the mount. */
export function formatPath(path: readonly string[]): string {
  return path.map(encodeURIComponent).join('/')
}
