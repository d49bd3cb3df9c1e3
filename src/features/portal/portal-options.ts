import type { Limit } from '../../shared/contracts/api.js'
import { ConfigurationError } from '../../shared/contracts/errors.js'
import { boolean, group, limit, members } from '../../shared/lib/option-rules.js'
import type { ApplicationRecord, ApplicationStatus } from '../../shared/contracts/application-record.js'

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

export type PortalSettings = ReturnType<typeof readPortalOptions>

export function readPortalOptions(options: PortalOptions | undefined, developersUrl: string | undefined) {
  const { actions, limits } = readGroup(options)
  if (developersUrl === undefined)
    throw new ConfigurationError({
      option: 'developersUrl',
      problem: 'is missing',
      fix: 'The portal is at {developersUrl}/applications: give the address, such as "https://api.example.com/developers".',
    })
  const enabled: ReadonlySet<PortalAction> = new Set(PORTAL_ACTIONS.filter((action) => actions[action]))
  return { actions: enabled, limits, developersUrl }
}

/**
 * The statuses in which each action is possible. New credentials need an active application: the first use of a credential
 * would activate one that still waits for approval. While an application is suspended, contacts may only take power away from it: what it
 * is stays as it was for the operator who decides about it.
 */
const STATUSES = {
  addKey: ['active'],
  addSecret: ['active'],
  addKeySet: ['active'],
  replaceKeySet: ['active'],
  rename: ['active'],
  rotate: ['active'],
  end: ['active', 'suspended'],
  revokeTokens: ['active', 'suspended'],
  requestAccess: ['active'],
  networks: ['active'],
  invite: ['active'],
  removeContact: ['pending', 'active'],
  acceptTerms: ['pending', 'active', 'suspended'],
  delete: ['pending', 'active'],
} as const satisfies Readonly<Record<string, readonly ApplicationStatus[]>>

/** An action of a contact at the portal, beside looking: `portal({ actions })` can turn it off. */
export type PortalAction = keyof typeof STATUSES

const PORTAL_ACTIONS = Object.keys(STATUSES) as readonly PortalAction[]

export function isPossible(action: PortalAction, { status }: Pick<ApplicationRecord, 'status'>): boolean {
  const statuses: readonly ApplicationStatus[] = STATUSES[action]
  return statuses.includes(status)
}

const readGroup = group('portal', {
  actions: members(Object.fromEntries(PORTAL_ACTIONS.map((action) => [action, boolean(action !== 'networks')]))),
  limits: members({
    signIn: limit({ limit: 5, window: 3600 }),
    actions: limit({ limit: 200, window: 600 }),
  }),
})
