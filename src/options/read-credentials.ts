import { invalidOption, readDays, readGroup } from './checks.js'
import type { PlatformAuthOptions } from './options.js'
import type { ApiSettings, CredentialSettings } from './settings.js'

/** Days before an end at which contacts are reminded, if there is a maximum age. */
const DEFAULT_REMINDERS = [30, 14, 7, 1]
const MAX_REMINDERS = 10

/** Reads the option `credentials`. */
export function readCredentials(
  credentials: PlatformAuthOptions['credentials'],
  apis: ReadonlyMap<string, ApiSettings>,
): CredentialSettings {
  const { maxAge, remindBefore } = readGroup('credentials', credentials, ['maxAge', 'remindBefore'])
  const hasMaximum = maxAge !== undefined || [...apis.values()].some((api) => api.credentialMaxAge !== undefined)
  return {
    maxAge: maxAge === undefined ? undefined : readDays('credentials.maxAge', maxAge),
    remindBefore: readReminders(remindBefore ?? (hasMaximum ? DEFAULT_REMINDERS : [])),
  }
}

/** Most days first, each once. */
function readReminders(days: unknown): readonly number[] {
  if (!Array.isArray(days) || days.length > MAX_REMINDERS) {
    throw invalidOption(
      'credentials.remindBefore',
      days,
      `List up to ${MAX_REMINDERS} numbers of days, such as [30, 14, 7, 1].`,
    )
  }
  const read = Array.from(days, (each: unknown, index) => readDays(`credentials.remindBefore[${index}]`, each))
  return [...new Set(read)].toSorted((one, other) => other - one)
}
