import type { IncomingMessage } from 'node:http'
import type { Core } from '../../feature.js'
import type { PreparedRegistration } from './register.js'
import type { Limit } from '../../shared/contracts/api.js'
import { OAuthError } from '../../shared/contracts/denial.js'
import type { JsonObject } from '../../shared/contracts/application-record.js'
import { readClientAddress, readIpAddress, type Ipv6Prefix } from '../../shared/lib/request.js'
import { removeTag } from '../../shared/lib/email-address.js'
import { describeValue } from '../../shared/lib/describe-value.js'
import { callHost } from './call-host.js'

/** Decides whether a valid registration is stored. Rejects with the refusal if it is not. */
export type Admit = (registration: ValidRegistration, req: IncomingMessage) => Promise<void>

interface ValidRegistration extends Pick<PreparedRegistration, 'name' | 'contact' | 'apis'> {
  /** The values of the provider's own fields; undefined without any. */
  readonly metadata: JsonObject | undefined
  readonly verifyPerson: () => Promise<void>
}

export interface AdmissionOptions {
  readonly allow: ((candidate: Candidate, req: IncomingMessage) => boolean | PromiseLike<boolean>) | undefined
  /** Whether a contact's `+tag` is ignored by its limit. */
  readonly foldTags: boolean
  /** The IPv6 network that is counted as one address. */
  readonly ipv6Prefix: Ipv6Prefix
  readonly limits: {
    /** Limits per address, and per contact. */
    readonly registration: Limit | false
    readonly allRegistrations: Limit | false
  }
}

interface Candidate extends Omit<ValidRegistration, 'verifyPerson'> {
  readonly address: string
}

/**
 * Applies the limits, the captcha and the host's decision. The address is counted first, so that nobody can call the host's
 * functions without limit. A registration that the host refuses counts against no contact, which may be another's.
 */
export function createAdmission({ rateLimits, logger }: Core, options: AdmissionOptions): Admit {
  const { allow, foldTags, ipv6Prefix, limits } = options
  const limitRegistrations = rateLimits.create('registration', limits.registration, {
    setBy: 'registration.limits.registration',
    untrustedKeys: true,
  })
  const limitAllRegistrations = rateLimits.create('allRegistrations', limits.allRegistrations, {
    setBy: 'registration.limits.allRegistrations',
  })

  return async function admit({ verifyPerson, ...valid }, req) {
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
  allow: NonNullable<AdmissionOptions['allow']>,
  candidate: Candidate,
  req: IncomingMessage,
  logger: Core['logger'],
): Promise<void> {
  const answer: unknown = await callHost('registration.allow', () => allow(candidate, req), logger)
  if (answer === false) throw new OAuthError('access_denied', 'This registration is not accepted')
  if (answer !== true) throw new TypeError(`registration.allow answered ${describeValue(answer)}, not true or false.`)
}
