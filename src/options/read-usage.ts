import { readDays, readGroup } from './checks.js'
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
