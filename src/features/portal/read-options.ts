import type { Limit } from '../../shared/contracts/api.js'
import { ConfigurationError } from '../../shared/contracts/errors.js'
import { PORTAL_ACTIONS, type PortalAction } from './actions.js'
import { readBoolean, readGroup, readLimit } from '../../shared/lib/option-checks.js'

/** The options of `portal()`. */
export interface PortalOptions {
  /** Disables single actions, such as `{ rotate: false }`. Every action is enabled if left out, except `networks`. */
  readonly actions?: { readonly [action in PortalAction]?: boolean | undefined } | undefined
  /** How often contacts may act. */
  readonly limits?: PortalLimits | undefined
}

/** The option `limits` of `portal()`. */
export interface PortalLimits {
  /** Requests for a sign-in e-mail per address; a mailbox gets up to three times as many. 5 in 3600 seconds if left out. */
  readonly signIn?: Limit | false | undefined
  /** Forms that a contact sends; 200 in 600 seconds if left out. */
  readonly actions?: Limit | false | undefined
}

/** The validated form of the options of `portal()`. */
export interface PortalSettings {
  readonly actions: ReadonlySet<PortalAction>
  readonly limits: { readonly signIn: Limit | false; readonly actions: Limit | false }
  readonly developersUrl: string
}

export function readPortalOptions(
  options: PortalOptions | undefined,
  developersUrl: string | undefined,
): PortalSettings {
  const { actions, limits } = readGroup('portal', options, ['actions', 'limits'])
  if (developersUrl === undefined) {
    throw new ConfigurationError({
      option: 'developersUrl',
      problem: 'is missing',
      fix: 'The portal is at {developersUrl}/applications: give the address, such as "https://api.example.com/developers".',
    })
  }
  const given: Partial<Record<PortalAction, boolean | undefined>> = readGroup('portal.actions', actions, PORTAL_ACTIONS)
  const isEnabled = (action: PortalAction): boolean =>
    readBoolean(`portal.actions.${action}`, given[action] ?? action !== 'networks')
  const { signIn, actions: forms } = readGroup('portal.limits', limits, ['signIn', 'actions'])
  return {
    actions: new Set(PORTAL_ACTIONS.filter(isEnabled)),
    limits: {
      signIn: readLimit('portal.limits.signIn', signIn ?? { limit: 5, window: 3600 }),
      actions: readLimit('portal.limits.actions', forms ?? { limit: 200, window: 600 }),
    },
    developersUrl,
  }
}
