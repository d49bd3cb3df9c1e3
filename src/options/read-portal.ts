import { PORTAL_ACTIONS, type PortalAction } from '../contracts/portal-actions.js'
import { readBoolean, readGroup } from './checks.js'
import type { PlatformAuthOptions } from './options.js'
import type { PortalSettings } from './settings.js'

/** Reads the option `portal`: every action is enabled unless it is false. */
export function readPortal(portal: PlatformAuthOptions['portal']): PortalSettings {
  if (portal === false) return { enabled: false, actions: new Set() }
  const given: Partial<Record<PortalAction, boolean | undefined>> = readGroup('portal', portal, PORTAL_ACTIONS)
  const isEnabled = (action: PortalAction): boolean => readBoolean(`portal.${action}`, given[action] ?? true)
  return { enabled: true, actions: new Set(PORTAL_ACTIONS.filter(isEnabled)) }
}
