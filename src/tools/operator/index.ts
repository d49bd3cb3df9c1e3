import type { IncomingMessage } from 'node:http'
import type { PlatformParts } from '../../core/platform/core-auth.js'
import type { CoreAuth, Middleware } from '../../index.js'
import { invalidOption, refuseUnknown, readPlatform } from '../../shared/lib/option-checks.js'
import { isObject, ownMembers } from '../../shared/lib/own-members.js'
import { createPageBrand } from '../../shared/web/page-brand.js'
import { createOperatorRouter } from './operator-router.js'
import { createFindings } from './today-page.js'
import type { ActionContext, OperatorAction } from '../operations/operator-calls.js'
import type { Platform } from './visit.js'

export type { ActionContext, OperatorAction } from '../operations/operator-calls.js'

/** The options of `operatorPages()`. */
export interface OperatorPagesOptions {
  /**
   * Who asks, such as `(req) => req.user?.email`: 1 to 200 characters, which the audit log keeps as `operator:NAME`. Whatever is not such
   * a text, and an error, is answered with 403. It may return a promise.
   */
  // oxlint-disable-next-line typescript/no-explicit-any -- the host's request has whatever its own middleware puts on it
  operator(req: any): unknown
  /**
   * Whether an operator may do something; everything if left out. Only `true`, or a promise of it, allows it. Pages ask for every
   * operation that they could show, so it should answer from memory. `action` is an operation, such as `applications.suspend`.
   */
  can?(operator: string, action: OperatorAction, context: ActionContext): unknown
  /** The path of your own sign-out, such as `/operator/sign-out`: a button of the header posts to it. None if left out. */
  readonly signOut?: string
}

/**
 * Middleware that serves pages for the platform's operators, at any path. The host's own sign-in stands before it. Throws
 * `ConfigurationError` for a wrong option.
 *
 * @example
 * ```ts
 * import express, { type RequestHandler } from 'express'
 * import { createPlatformAuth } from 'express-platform-auth'
 * import { operatorPages } from 'express-platform-auth/operator'
 *
 * export function mountOperator(app: express.Express, requireStaff: RequestHandler): void {
 *   const auth = createPlatformAuth({ baseUrl: 'http://localhost:3000', apis: { orders: { scheme: 'oauth2' } } })
 *   app.use('/operator', requireStaff, operatorPages(auth, { operator: (req) => req.user?.email }))
 * }
 * ```
 */
export function operatorPages(auth: CoreAuth, options: OperatorPagesOptions): Middleware {
  const platform: Platform = auth
  const parts = readPlatform<PlatformParts>(auth, 'core', 'operatorPages(auth, { ... })')
  const { operator, can, signOut } = readOptions(options)
  const planNames = Object.keys(parts.sharedSettings).flatMap((path) => /^plans\.(.+)$/.exec(path)?.[1] ?? [])
  const site = { auth: platform, core: parts.core, planNames, listFindings: createFindings(platform) }
  return createOperatorRouter({
    site,
    operatorOf: (req: IncomingMessage) => operator(req),
    can,
    signOut,
    brand: createPageBrand(auth.brand),
  })
}

function readOptions(options: unknown): OperatorPagesOptions {
  const given = isObject(options) ? (ownMembers(options) as Partial<OperatorPagesOptions>) : {}
  refuseUnknown('', given, ['operator', 'can', 'signOut'] satisfies (keyof OperatorPagesOptions)[])
  const { operator, can, signOut } = given
  if (typeof operator !== 'function') throw invalidOption('operator', operator, OPERATOR_FIX)
  if (can !== undefined && typeof can !== 'function') throw invalidOption('can', can, CAN_FIX)
  const isOwnPath = typeof signOut === 'string' && /^\/(?![/\\])[^\s\\]*$/.test(signOut)
  if (signOut === undefined || isOwnPath) return { operator, ...(can && { can }), ...(isOwnPath && { signOut }) }
  throw invalidOption('signOut', signOut, "Give a path of your own app, such as '/operator/sign-out', or leave it out.")
}

const OPERATOR_FIX =
  'Give a function that returns who is signed in: operator: (req) => req.user?.email. Your own sign-in stands before these pages.'
const CAN_FIX =
  'Give a function that returns true for what an operator may do, or leave it out: can: (operator, action) => admins.has(operator).'
