import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memoryStore } from '../../../src/index.js'
import { openAdmin } from '../../../src/tools/admin/index.js'
import { memoryMailer } from '../../../src/tools/testing/index.js'
import { failingStore } from '../../support/failing-store.js'
import { openPlatform } from '../../support/platform.js'
import { CALLS } from './wrong-arguments.js'

/** A misspelt member of the options of each call that has some, and the name that the error is to suggest. */
const MISSPELT: Readonly<Record<string, readonly [misspelt: string, meant: string]>> = {
  'applications.list': ['externalid', 'externalId'],
  'registration.register': ['langauge', 'language'],
  'applications.create': ['metdata', 'metadata'],
  'imports.run': ['confrim', 'confirm'],
  'applications.approve': ['apis', 'api'],
  'applications.deny': ['raeson', 'reason'],
  'applications.update': ['externalID', 'externalId'],
  'applications.suspend': ['revokeToken', 'revokeTokens'],
  'applications.resume': ['bye', 'by'],
  'applications.delete': ['bY', 'by'],
  'applications.revokeTokens': ['b', 'by'],
  'applications.allow': ['scops', 'scopes'],
  'applications.disallow': ['bu', 'by'],
  'registration.requestAccess': ['scope', 'scopes'],
  'applications.addContact': ['yb', 'by'],
  'applications.removeContact': ['By', 'by'],
  'portal.invite': ['byy', 'by'],
  'applications.cancelInvitation': ['bt', 'by'],
  'applications.addKey': ['expiresat', 'expiresAt'],
  'applications.addSecret': ['expireAt', 'expiresAt'],
  'applications.addKeySet': ['jwksUrl', 'jwksUri'],
  'applications.replaceKeySet': ['jwksURI', 'jwksUri'],
  'applications.reloadKeySet': ['bye', 'by'],
  'applications.updateCredential': ['expires', 'expiresAt'],
  'applications.endCredential': ['revoketokens', 'revokeTokens'],
  'applications.rotateKey': ['overlp', 'overlap'],
  'applications.rotateSecret': ['overlp', 'overlap'],
  'applications.recover': ['delivr', 'deliver'],
  'audit.list': ['typ', 'type'],
  'usage.list': ['form', 'from'],
  'usage.routes': ['too', 'to'],
  'usage.reportOnly': ['aftr', 'after'],
  'usage.totals': ['perod', 'period'],
  'usage.overall': ['bye', 'by'],
  'usage.overallRoutes': ['apy', 'api'],
  'emails.list': ['sate', 'state'],
  'emails.cancel': ['bx', 'by'],
  'signingKeys.rotate': ['immediatly', 'immediately'],
  'signingKeys.revoke': ['bi', 'by'],
  'sessionSecret.replace': ['bz', 'by'],
  'portal.link': ['contct', 'contact'],
  ready: ['rety', 'retry'],
}

type Calls = Readonly<Record<string, (...args: readonly unknown[]) => Promise<unknown>>>

/** The error of a call whose options, its last argument, have this member besides right ones. */
async function callWith(platform: object, name: string, member: string): Promise<unknown> {
  const right = CALLS[name]!.map((parameter) => parameter.right)
  const args = right.map((argument) => (isKnown(argument) ? argument.known : argument))
  const [group, call] = name.split('.') as [string, string?]
  const owner = (call === undefined ? platform : (platform as Record<string, Calls>)[group]) as Calls
  const given = { ...(args.at(-1) as object), [member]: 0 }
  return owner[call ?? group]!(...args.slice(0, -1), given).then(
    () => 'it resolved',
    (error: unknown) => error,
  )
}

function isKnown(argument: unknown): argument is { readonly known: string } {
  return typeof argument === 'object' && argument !== null && 'known' in argument
}

describe('a misspelt member of options', () => {
  // A call that asks the store rejects with another code.
  const stores = [failingStore(memoryStore()), failingStore(memoryStore())] as const
  const { auth } = openPlatform({
    store: stores[0],
    mailer: memoryMailer(),
    developersUrl: 'https://api.example.com/developers',
    imports: true,
  })
  let admin: Awaited<ReturnType<typeof openAdmin>>
  beforeAll(async () => {
    await auth.ready()
    admin = await openAdmin(stores[1])
    for (const store of stores) store.fail()
  })
  afterAll(async () => {
    for (const store of stores) store.recover()
    await auth.close()
    await admin.close()
  })

  it('is tried for every call that has options', () => {
    const withOptions = Object.keys(CALLS).filter((name) => CALLS[name]!.at(-1)!.isOptions)
    expect(Object.keys(MISSPELT).toSorted()).toEqual(withOptions.toSorted())
  })

  it.each(Object.entries(MISSPELT))(
    'is refused with its right name, before the store is asked: %s',
    async (name, [misspelt, meant]) => {
      const [group, call = group] = name.split('.') as [string, string?]
      const ofAdmin = (admin as unknown as Record<string, object>)[group]
      for (const platform of ofAdmin && call in ofAdmin ? [auth, admin] : [auth]) {
        const error = (await callWith(platform, name, misspelt)) as Error
        expect(error).toMatchObject({ name: 'ApplicationError', code: 'invalid_argument' })
        expect(error.message).toContain(`There is no option "${misspelt}" of ${call}(). Did you mean`)
        expect(error.message).toContain(`"${meant}"`)
      }
    },
  )

  it('is refused with all names if none is similar, and shown only in part', async () => {
    const secret = `epa_sec_${'x'.repeat(60)}`
    const error = auth.applications.rotateSecret('app_1', { [secret]: 0 })
    await expect(error).rejects.toThrow('There are: by, revokeTokens, credential, expiresAt, overlap, deliver.')
    await expect(error).rejects.not.toThrow(secret)
  })

  it('is refused with the value undefined too, but not in metadata, nor inherited', async () => {
    const given = { name: 'Shop', apis: ['orders'] as const, by: 'ann' }
    await expect(auth.applications.create({ ...given, langauge: undefined } as never)).rejects.toMatchObject({
      code: 'invalid_argument',
    })
    for (const right of [
      { ...given, metadata: { langauge: 'en' } },
      Object.assign(Object.create({ langauge: 0 }), given),
    ])
      await expect(auth.applications.create(right as typeof given)).rejects.toMatchObject({ code: 'store_unavailable' })
  })

  it('is refused by openAdmin() itself', async () => {
    const opened = openAdmin(memoryStore(), { metdata: undefined } as object)
    await expect(opened).rejects.toThrow(/metdata is not an option.*Did you mean "metadata"\?/s)
  })
})
