import type { ApiAccess, Session } from './session.js'

export interface PageData {
  readonly api: ApiAccess
  readonly resource: string
  readonly needsSecret: boolean
  readonly hasEmails: boolean
  readonly search: string | undefined
  readonly calls: string
  readonly support: string | undefined
  readonly register: string | undefined
}

/** What calls of a page share until it is left. */
export interface PageUse {
  readonly page: PageData
  readonly session: Session
  readonly signal: AbortSignal
}

export function findMain(): HTMLElement | undefined {
  const main = document.getElementById('reference')
  return main?.dataset['scheme'] === undefined ? undefined : main
}

export function readPage(main: HTMLElement): PageData {
  const { dataset } = main
  const { api = '', resource = '', tokenEndpoint = '', keyHeader = 'X-Api-Key' } = dataset
  const scheme = dataset['scheme'] === 'oauth2' ? 'oauth2' : 'apiKey'
  return {
    api: { name: api, scheme, tokenEndpoint, keyHeader, resource, proof: dataset['proof'] },
    resource,
    needsSecret: readList(dataset['schemes'] ?? scheme).includes('oauth2'),
    hasEmails: dataset['emails'] === 'true',
    search: resolve(dataset['search']),
    calls: resolve(dataset['calls']) ?? '',
    support: resolve(dataset['support']),
    register: resolve(dataset['register']),
  }
}

export function readList(text: string | undefined): string[] {
  return (text ?? '').split(' ').filter(Boolean)
}

/** The URL is absolute: with soft navigation, the address of the page changes. */
function resolve(url: string | undefined): string | undefined {
  return url === undefined || url === '' ? undefined : new URL(url, document.baseURI).href
}
