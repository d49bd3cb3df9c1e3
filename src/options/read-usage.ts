import { invalidOption, readDays, readGroup } from './checks.js'
import type { PlatformAuthOptions } from './options.js'
import type { UsageSettings } from './settings.js'

/** Days; a little more than a year, so that a month can be compared with the same one of the year before. */
const DEFAULT_RETENTION = 400

/** Reads the option `usage`. */
export function readUsage(usage: PlatformAuthOptions['usage']): UsageSettings {
  if (usage === false) return { enabled: false, retention: DEFAULT_RETENTION }
  const { retention } = readGroup('usage', usage, ['retention'])
  return { enabled: true, retention: readDays('usage.retention', retention ?? DEFAULT_RETENTION) }
}

/** An operator's link is good for 14 days, and its page tells what was decided. */
const MIN_AUDIT_RETENTION = 30

/** Reads the option `audit`: days, or undefined if records are kept for ever. */
export function readAuditRetention(audit: PlatformAuthOptions['audit']): number | undefined {
  const { retention } = readGroup('audit', audit, ['retention'])
  if (retention === undefined) return undefined
  const days = readDays('audit.retention', retention)
  if (days >= MIN_AUDIT_RETENTION) return days
  throw invalidOption('audit.retention', retention, `Write days: at least ${MIN_AUDIT_RETENTION}.`)
}
