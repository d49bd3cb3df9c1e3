import type { Api } from '../../../shared/contracts/api.js'
import { ApplicationError, invalidArgument } from '../../../shared/contracts/errors.js'
import type { ApplicationRecord } from '../../../shared/contracts/application-record.js'
import { isLive } from '../credentials/credentials.js'
import { findApi } from './grants.js'

/** Whether an application may check the credentials that were presented to it at an API. */
export function isResourceServerOf(
  { resourceServer }: Pick<ApplicationRecord, 'resourceServer'>,
  { name }: { readonly name: string },
): boolean {
  return resourceServer?.includes(name) === true
}

/** Validates `resourceServer` of `create` and `update`; undefined for null. Throws with code `invalid_argument` or `unknown_api`. */
export function readResourceServer(
  apis: ReadonlyMap<string, Api> | undefined,
  given: unknown,
): ApplicationRecord['resourceServer'] {
  if (given === undefined || given === null) return undefined
  if (!Array.isArray(given) || given.length === 0 || !given.every((each) => typeof each === 'string'))
    throw invalidArgument("resourceServer must list names of APIs, such as ['orders'], or be null.")
  return [...new Set(given.map((name: string) => findApi(apis, name).name))]
}

/** A resource server always has what it authenticates with. Throws with code `invalid_state`. */
export function refuseWithoutSecret({ id, secrets }: ApplicationRecord, now: number): void {
  if (secrets.some((each) => isLive(each, now))) return
  throw new ApplicationError(
    'invalid_state',
    `Application ${id} has no secret, with which a resource server authenticates: addSecret() gives it one.`,
  )
}
