/** The paths of pages below that of the application. `*` stands for what the page is about, such as a credential. */
const PATHS = {
  addKey: 'credentials/new-key',
  addSecret: 'credentials/new-secret',
  addKeySet: 'credentials/new-key-set',
  replaceKeySet: 'credentials/*/keys',
  reloadKeySet: 'credentials/*/reload',
  rename: 'credentials/*/rename',
  rotate: 'credentials/*/rotate',
  end: 'credentials/*/end',
  requestAccess: 'apis/*/request',
  revokeTokens: 'tokens/revoke',
  invite: 'colleagues/invite',
  removeContact: 'colleagues/*/remove',
  cancelInvitation: 'invitations/*/cancel',
  acceptTerms: 'terms',
  networks: 'networks',
  delete: 'delete',
  download: 'download',
} as const

export type PageName = keyof typeof PATHS

/** The address of an application's page, or of one of its further pages, with each segment of its path encoded. */
export type Links = (applicationId: string, page?: PageName, subject?: string) => string

/** Links below that path, which has no slash at its end. */
export function createLinks(root: string): Links {
  return (applicationId, page, subject = '') => {
    const path = page === undefined ? '' : `/${PATHS[page].replace('*', () => encodeURIComponent(subject))}`
    return `${root}/${encodeURIComponent(applicationId)}${path}`
  }
}

/** The page at a path below that of the application, and what it is about. */
export function findPage(path: readonly string[]): { readonly page: PageName; readonly subject: string } | undefined {
  const names = Object.keys(PATHS) as PageName[]
  const page = names.find((name) => {
    const segments = PATHS[name].split('/')
    return segments.length === path.length && segments.every((each, at) => each === '*' || each === path[at])
  })
  return page && { page, subject: path[PATHS[page].split('/').indexOf('*')] ?? '' }
}
