import type { IncomingMessage } from 'node:http'
import type { RequestOrigin } from '../../shared/contracts/events.js'
import type { Language } from '../../shared/contracts/application-record.js'
import type { PortalSession, Visitor } from './sign-in/session.js'

export interface PortalRequest {
  readonly method: 'GET' | 'POST'
  /** Decoded segments below the mount: none for the list, `['app_123', 'credentials', 'cred_1', 'rotate']`. */
  readonly path: readonly string[]
  /** The fields of a form; empty for GET. Origin, `csrf` and size (16 KiB) have been checked. */
  readonly fields: ReadonlyMap<string, readonly string[]>
  readonly session: PortalSession
  readonly language: Language
  readonly origin: RequestOrigin
}

export type PortalAnswer =
  | { readonly status: number; readonly page: string; readonly headers?: Readonly<Record<string, string>> }
  /** 303 to a path below the mount, with its segments encoded and without a slash before it; empty for the list. */
  | { readonly redirect: string }
  | { readonly download: { readonly name: string; readonly type: string; readonly text: string } }

export interface PageVisitor extends Visitor {
  readonly language: Language
}

export interface Exchange extends Pick<PortalRequest, 'method' | 'path' | 'fields'> {
  readonly visitor: PageVisitor
  readonly req: IncomingMessage
}

/** The answer, with a `Set-Cookie` header in place of the visitor's. */
export interface Outcome {
  readonly answer: PortalAnswer
  readonly setCookie?: string
}
