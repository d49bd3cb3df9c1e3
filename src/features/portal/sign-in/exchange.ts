import type { IncomingMessage } from 'node:http'
import type { Language } from '../../../shared/contracts/application-record.js'
import type { PortalAnswer, PortalRequest } from '../request.js'
import type { Visitor } from './session.js'

/** The sender of a request, and the language of the answer. */
export interface PageVisitor extends Visitor {
  readonly language: Language
}

/** A request that was read, of anybody. */
export interface Exchange extends Pick<PortalRequest, 'method' | 'path' | 'fields'> {
  readonly visitor: PageVisitor
  readonly req: IncomingMessage
}

/** The answer, with a `Set-Cookie` header in place of the visitor's. */
export interface Outcome {
  readonly answer: PortalAnswer
  readonly setCookie?: string
}
