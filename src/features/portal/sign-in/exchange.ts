import type { IncomingMessage } from 'node:http'
import type { PortalAnswer, PortalRequest } from '../request.js'
import type { Visitor } from './session.js'

/** A request that was read, of anybody. */
export interface Exchange extends Pick<PortalRequest, 'method' | 'path' | 'fields'> {
  readonly visitor: Visitor
  readonly req: IncomingMessage
}

/** The answer, with a `Set-Cookie` header in place of the visitor's. */
export interface Outcome {
  readonly answer: PortalAnswer
  readonly setCookie?: string
}
