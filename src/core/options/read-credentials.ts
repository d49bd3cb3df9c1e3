import { invalidOption, readDays, readGroup } from '../../shared/lib/option-checks.js'
import type { PlatformAuthOptions } from './platform-auth-options.js'
import type { CredentialSettings } from './settings.js'

/** Reads the option `credentials`. */
export function readCredentials(credentials: PlatformAuthOptions['credentials']): CredentialSettings {
  const { prefix, maxAge } = readGroup('credentials', credentials, ['prefix', 'maxAge'])
  return {
    prefix: readPrefix(prefix ?? 'epa'),
    maxAge: maxAge === undefined ? undefined : readDays('credentials.maxAge', maxAge),
  }
}

function readPrefix(prefix: unknown): string {
  if (typeof prefix === 'string' && /^[A-Za-z][A-Za-z0-9_]{0,19}$/.test(prefix)) return prefix
  throw invalidOption('credentials.prefix', prefix, 'Write up to 20 letters, digits and underscores, a letter first.')
}
