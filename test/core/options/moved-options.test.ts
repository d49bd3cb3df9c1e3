import { describe, expect, it } from 'vitest'
import { checkOptions, type PlatformAuthOptions } from '../../../src/index.js'
import { emails } from '../../../src/features/emails/index.js'
import { imports } from '../../../src/features/imports/index.js'
import { portal } from '../../../src/features/portal/index.js'
import { registration } from '../../../src/features/registration/index.js'
import { usage } from '../../../src/features/usage/index.js'
import { describePlace, MOVED_OPTIONS } from '../../../src/core/options/moved-options.js'
import { memoryMailer } from '../../../src/tools/testing/index.js'

const VALID = {
  baseUrl: 'https://api.example.com',
  developersUrl: 'https://example.com/developers',
  apis: { catalog: { scheme: 'apiKey' } },
} as const satisfies PlatformAuthOptions
const mailer = memoryMailer()
const sent = emails({ mailer })
const LIMIT = { limit: 5, window: 60 }

/** Each option at a place where one may look for it, and where it is. */
const MOVED: Readonly<Record<string, readonly [value: unknown, written: object]>> = {
  mailer: [mailer, { features: [emails({ mailer })] }],
  delivery: ['claim-link', { features: [emails({ mailer, delivery: 'claim-link' })] }],
  emails: [{ compose: () => ({}) }, { features: [emails({ mailer, compose: (email) => email.standard })] }],
  'credentials.remindBefore': [[30], { features: [emails({ mailer, remindBefore: [30] })] }],
  operators: [['a@b.example'], { features: [sent, registration({ operators: ['a@b.example'] })] }],
  registration: [{ allow: () => true }, { features: [sent, registration({ allow: () => true })] }],
  'rateLimits.registration': [LIMIT, { features: [sent, registration({ limits: { registration: LIMIT } })] }],
  'rateLimits.allRegistrations': [LIMIT, { features: [sent, registration({ limits: { allRegistrations: LIMIT } })] }],
  portal: [{ rotate: false }, { features: [sent, portal({ actions: { rotate: false } })] }],
  'rateLimits.signIn': [LIMIT, { features: [sent, portal({ limits: { signIn: LIMIT } })] }],
  'rateLimits.portalActions': [LIMIT, { features: [sent, portal({ limits: { actions: LIMIT } })] }],
  usage: [{ retention: 90 }, { features: [usage({ retention: 90 })] }],
  importedCredentials: [{ hmacKey: 'key' }, { features: [imports({ hmacKey: 'key' })] }],
  accessTokenLifetime: [60, { tokens: { lifetime: 60 } }],
  clockTolerance: [0, { tokens: { clockTolerance: 0 } }],
  signing: [{ algorithm: 'RS256' }, { tokens: { algorithm: 'RS256', rotateEvery: 86_400, publishAhead: 300 } }],
  credentialPrefix: ['shop', { credentials: { prefix: 'shop' } }],
  applicationMetadata: [{}, { metadata: undefined }],
  audit: [90, { background: { auditRetention: 90 } }],
}

describe('an option at another place than the one where it is', () => {
  it('is known for each that moved', () => {
    expect(Object.keys(MOVED).toSorted()).toEqual(Object.keys(MOVED_OPTIONS).toSorted())
  })

  it.each(Object.entries(MOVED))('%s is refused with its place, where it is accepted', (path, [value, written]) => {
    const [group, name] = path.split('.') as [string, string?]
    const given = { ...VALID, [group]: name === undefined ? value : { [name]: value } }
    const { error } = checkOptions(given as PlatformAuthOptions)
    expect(error).toMatchObject({ option: path, problem: 'is not an option', fix: `Write ${MOVED_OPTIONS[path]}.` })
    expect(error!.message).toBe(`${path} is not an option. Write ${MOVED_OPTIONS[path]}.`)
    expect(checkOptions({ ...VALID, ...written } as PlatformAuthOptions).error).toBeUndefined()
  })

  it('is no member that every object has', () => {
    for (const name of ['constructor', 'toString', '__proto__', 'mailers']) expect(describePlace(name)).toBeUndefined()
  })

  it('is refused inside a feature by the names there', () => {
    const { error } = checkOptions({ ...VALID, features: [emails({ mailer, operators: ['a@b.example'] } as never)] })
    expect(error!.message).toMatch(
      /^emails\.operators is not an option\. There are: mailer, delivery, compose, remindBefore\.$/,
    )
  })
})
