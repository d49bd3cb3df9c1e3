/** The actions of a contact at the portal beside looking. */
export const PORTAL_ACTIONS = [
  'addKey',
  'addSecret',
  'rename',
  'rotate',
  'end',
  'revokeTokens',
  'requestAccess',
  'invite',
  'removeContact',
  'delete',
] as const

/** One of the actions that the option `portal` can disable. */
export type PortalAction = (typeof PORTAL_ACTIONS)[number]
