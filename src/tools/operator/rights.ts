import { callInTime } from '../../shared/lib/timeout.js'
import { offers, OPERATIONS } from '../operations/perform.js'
import type { ActionContext, CallName } from '../operations/operator-calls.js'
import { OPERATIONS_BY_NAME, type Site, type Visit } from './visit.js'

export type Can = (operator: string, action: CallName, context: ActionContext) => unknown

/** Asks the host for each operation that the platform has. Only `true` allows one: neither an error nor a promise of anything else does. */
export async function findRights(
  { auth, core }: Pick<Site, 'auth' | 'core'>,
  can: Can | undefined,
  operator: string,
  applicationId: string | undefined,
): Promise<Visit['may']> {
  const asked = OPERATIONS.filter((operation) => offers(auth, operation)).flatMap(({ name, scope, memberScopes }) =>
    [scope, ...Object.values(memberScopes)].map((each) => ({ name, scope: each })),
  )
  const isAllowed = async ({ name, scope }: (typeof asked)[number]): Promise<boolean> => {
    try {
      return can === undefined || (await can(operator, name, { scope, applicationId })) === true
    } catch (error) {
      core.logger.error('The option "can" of operatorPages() has failed, so the operation is not allowed.', error)
      return false
    }
  }
  const answers = await callInTime('The option "can" of operatorPages()', () => Promise.all(asked.map(isAllowed)))
  const rights = new Set(asked.filter((_, at) => answers[at]).map(({ name, scope }) => `${name} ${scope}`))
  return (action, scope = OPERATIONS_BY_NAME.get(action)!.scope) => rights.has(`${action} ${scope}`)
}

/** Operations that show ids and counts do not tell whose they are. */
export function maySeeNames({ may }: Pick<Visit, 'may'>): boolean {
  return may('applications.list') || may('applications.get')
}
