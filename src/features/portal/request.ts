import type { RequestOrigin } from '../../shared/contracts/events.js'
import type { Language } from '../../shared/contracts/application-record.js'
import type { PortalSession } from './sign-in/session.js'

/** A request of a contact who is signed in. */
export interface PortalRequest {
  readonly method: 'GET' | 'POST'
  /** Decoded segments below the mount: none for the list, `['app_123', 'credentials', 'cred_1', 'rotate']`. */
  readonly path: readonly string[]
  /** The fields of a form; empty for GET. Origin, `csrf` and size (16 KiB) have been checked. */
  readonly fields: ReadonlyMap<string, readonly string[]>
  readonly session: PortalSession
  /** The language of pages that are of no single application. */
  readonly language: Language
  readonly origin: RequestOrigin
}

/** The answer. */
export type PortalAnswer =
  /** A page of `RenderPortalPage`. */
  | { readonly status: number; readonly page: string; readonly headers?: Readonly<Record<string, string>> }
  /** 303 to a path below the mount, with its segments encoded and without a slash before it; empty for the list. */
  | { readonly redirect: string }
  | { readonly status: number; readonly download: PortalDownload }

/** A file that the browser saves. */
export interface PortalDownload {
  readonly name: string
  readonly type: string
  readonly text: string
}

/** Answers a request below the mount. Undefined for a page that does not exist, or not for this contact: both get one 404. */
export type PortalPages = (request: PortalRequest) => Promise<PortalAnswer | undefined>
