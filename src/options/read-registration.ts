import { invalidOption, readBoolean, readGroup, readOptionalFunction } from './checks.js'
import type { PlatformAuthOptions } from './options.js'
import type { RegistrationSettings } from './settings.js'

const IPV6_PREFIXES = [48, 56, 64]

/** Reads the option `registration`. */
export function readRegistration(registration: PlatformAuthOptions['registration']): RegistrationSettings {
  const {
    allow,
    foldTags = false,
    ipv6Prefix = 64,
  } = readGroup('registration', registration, ['allow', 'foldTags', 'ipv6Prefix'])
  if (!IPV6_PREFIXES.includes(ipv6Prefix)) {
    throw invalidOption('registration.ipv6Prefix', ipv6Prefix, `Choose one of ${IPV6_PREFIXES.join(', ')}.`)
  }
  return {
    allow: readOptionalFunction('registration.allow', allow),
    foldTags: readBoolean('registration.foldTags', foldTags),
    ipv6Prefix,
  }
}
