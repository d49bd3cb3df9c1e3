import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Api } from '../../shared/contracts/api.js'
import type { Denial } from '../../shared/contracts/denial.js'
import { ownMembers } from '../../shared/lib/own-members.js'
import { createBoundedCache } from '../../shared/lib/bounded-cache.js'
import type { OnDenied } from '../options/options.js'
import { findIdentity } from './auth-of.js'
import type { Authenticator } from './authenticate.js'
import type { Guard } from './guard.js'
import type { GuardParts } from './guards.js'
import type { Identity } from './identity.js'
import { Failure, type Refused } from './refusal.js'

type Answer =
  | { readonly denied: Denial; readonly caller: undefined }
  | { readonly denied: undefined; readonly caller: Identity }

/** A guard for each API and list of scopes that resource servers ask for. */
const MAX_GUARDS = 500

/** Judges by guards of the API itself. An application without a grant there is no business of its: answered as unknown. */
export function createIntrospectionGuard(
  authenticator: Authenticator,
  createGuards: (authenticator: Authenticator) => Pick<GuardParts, 'createGuard'>,
) {
  const waiting = new WeakMap<IncomingMessage, (answer: Answer) => void>()
  const guards = createBoundedCache<Guard>({ entries: MAX_GUARDS })
  let parts: Pick<GuardParts, 'createGuard'> | undefined
  const onDenied: OnDenied = (denied, req) => waiting.get(req)!({ denied, caller: undefined })

  function findGuard(api: Api, scopes: readonly string[]): Guard {
    const key = [api.name, ...scopes].join(' ')
    const known = guards.get(key)
    if (known) return known
    parts ??= createGuards(hideUngranted(authenticator))
    const guard = parts.createGuard(api, ownMembers({ scopes, onDenied, reportOnly: false }))
    guards.set(key, guard)
    return guard
  }

  /** The headers of `res` are those that a guard sets. */
  return function guardIntrospected(
    api: Api,
    scopes: readonly string[],
    introspected: IncomingMessage,
    res: ServerResponse,
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      waiting.set(introspected, resolve)
      findGuard(api, scopes)(introspected, res, (error) =>
        error === undefined ? resolve({ denied: undefined, caller: findIdentity(introspected, api)! }) : reject(error),
      )
    })
  }
}

function hideUngranted(authenticator: Authenticator): Authenticator {
  const hide = <Result>(result: Result | Refused): Result | Refused =>
    result instanceof Failure && result.problem === 'notAllowed' ? 'invalidApiKey' : result
  return {
    ...authenticator,
    recallApiKey: (...args) => hide(authenticator.recallApiKey(...args)),
    byApiKey: async (...args) => hide(await authenticator.byApiKey(...args)),
  }
}
