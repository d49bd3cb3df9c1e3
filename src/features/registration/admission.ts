import type { IncomingMessage } from 'node:http'
import type { Core } from '../../feature.js'
import type { AllowRegistration, RegistrationCandidate, RegistrationSettings } from './registration-options.js'
import { OAuthError } from '../../shared/contracts/denial.js'
import { readClientAddress, readIpAddress } from '../../shared/lib/request.js'
import { removeTag } from '../../shared/lib/email-address.js'
import { describeValue } from '../../shared/lib/option-checks.js'
import { callHost } from './call-host.js'

/** Counts the address first, so that nobody calls the host's functions without limit, and the contact, perhaps another's, last. */
export function createAdmission({ rateLimits, logger }: Core, settings: RegistrationSettings) {
  const { allow, foldTags, ipv6Prefix, limits } = settings
  const limitRegistrations = rateLimits.create('registration', limits.registration, {
    setBy: 'registration.limits.registration',
    untrustedKeys: true,
  })
  const limitAllRegistrations = rateLimits.create('allRegistrations', limits.allRegistrations, {
    setBy: 'registration.limits.allRegistrations',
  })

  return async function admit(
    { verifyPerson, ...valid }: Omit<RegistrationCandidate, 'address'> & { readonly verifyPerson: () => Promise<void> },
    req: IncomingMessage,
  ): Promise<void> {
    await limitRegistrations?.(`address ${readClientAddress(req, ipv6Prefix)}`)
    await verifyPerson()
    if (allow) await askHost(allow, { ...valid, address: readIpAddress(req) }, req, logger)
    const { contact } = valid
    await limitRegistrations?.(`contact ${foldTags ? removeTag(contact) : contact}`.toLowerCase())
    await limitAllRegistrations?.('all')
  }
}

/** Rejects unless the host's function answers true. Its errors are logged, and not shown to the client. */
async function askHost(
  allow: AllowRegistration,
  candidate: RegistrationCandidate,
  req: IncomingMessage,
  logger: Core['logger'],
): Promise<void> {
  const answer: unknown = await callHost('registration.allow', () => allow(candidate, req), logger)
  if (answer === false) throw new OAuthError('access_denied', 'This registration is not accepted')
  if (answer !== true) throw new TypeError(`registration.allow answered ${describeValue(answer)}, not true or false.`)
}
