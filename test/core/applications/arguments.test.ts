import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memoryStore } from '../../../src/index.js'
import { failingStore, type FailingStore } from '../../support/failing-store.js'
import { openPlatform, type TestPlatform, usePlatform } from '../../support/platform.js'
import { CALLS, listWrongCalls, type Argument } from './wrong-arguments.js'
import { openAdmin } from '../../../src/tools/admin/index.js'
import { memoryMailer } from '../../../src/tools/testing/index.js'
import { withCheckedArguments } from '../../../src/core/applications/call-arguments.js'
import { AUDIT_PARAMETERS } from '../../../src/core/applications/call-parameters.js'

/** The codes of docs/applications.md#errors that tell of an argument, and those of guards. */
const CODES: readonly unknown[] = [
  'application_not_found',
  'invalid_argument',
  'unknown_api',
  'credential_not_found',
  'signing_key_not_found',
  'unauthorized',
  'invalid_request',
  'invalid_token',
  'invalid_api_key',
  'invalid_configuration',
]

describe('a call with an argument of the wrong kind', () => {
  let platform: TestPlatform
  let store: FailingStore
  const events: string[] = []
  const known: Record<string, string> = {}

  beforeAll(async () => {
    store = failingStore(memoryStore())
    platform = openPlatform({
      store,
      developersUrl: 'https://api.example.com/developers',
      mailer: { send: async () => undefined },
      imports: true,
    })
    for (const type of ['store.unavailable', 'store.writesRejected'] as const)
      platform.auth.events.on(type, () => events.push(type))
    await platform.auth.ready()
    const apis = ['orders', 'catalog'] as const
    const { application } = await platform.auth.applications.create({ name: 'Shop', contact: 'a@example.com', apis })
    known['application'] = application.id
    known['credential'] = application.keys[0]!.id
    known['signingKey'] = (await platform.auth.signingKeys.list()).items[0]!.kid
  })
  afterAll(() => platform.auth.close())

  const countCalls = (): number =>
    (
      [
        'findApplication',
        'listApplications',
        'saveApplication',
        'emails.list',
        'listAudit',
        'usage.list',
        'usage.listRefusals',
        'usage.listReported',
        'signIns.addSignOut',
        'addSigningKey',
        'removeSigningKey',
        'replaceSecret',
      ] as const
    )
      .map((name) => store.calls(name))
      .reduce((sum, count) => sum + count, 0)

  async function answer(name: string, args: readonly unknown[]): Promise<unknown> {
    const [group, call = group] = name.split('.') as [string, string?]
    const owner = (group === call ? platform.auth : platform.auth[group as 'audit']) as unknown as Record<
      string,
      (...args: readonly unknown[]) => Promise<unknown>
    >
    return owner[call]!(...args).then(
      (value) => ({ value }),
      (error: unknown) => ({ code: (error as { code?: unknown }).code, error }),
    )
  }

  it.each(Object.keys(CALLS))('%s: gets the documented error, before the store is asked', async (name) => {
    const fill = (argument: Argument): unknown =>
      typeof argument === 'object' && argument !== null && 'known' in argument
        ? known[String(argument.known)]
        : argument
    const found: unknown[] = []
    for (const { args, described, resolves } of listWrongCalls(CALLS[name]!)) {
      const before = countCalls()
      const result = (await answer(name, args.map(fill))) as { value?: unknown; code?: unknown; error?: unknown }
      const isRight = resolves ? 'value' in result && result.value === undefined : CODES.includes(result.code)
      if (!isRight) found.push([described, result])
      if (countCalls() !== before) found.push([described, 'the store was called'])
    }
    expect(found).toEqual([])
    expect(events).toEqual([])
    expect(platform.logger.lines).toEqual([])
    expect(await platform.auth.health()).toEqual({ ok: true, problems: [] })
    expect((await platform.auth.applications.get(known['application']!))?.status).toBe('active')
  })
})

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

const { auth } = usePlatform({
  mailer: memoryMailer(),
  developersUrl: 'https://api.example.com/developers',
  imports: true,
})

describe('the arguments of a call', () => {
  it('begin with a store', async () => {
    for (const store of [undefined, {}, 'platform.sqlite', () => memoryStore()])
      await expect(openAdmin(store as ReturnType<typeof memoryStore>)).rejects.toThrow(
        /^store is no store\. Give it sqlite/,
      )
  })

  it('are checked for every call of auth and of openAdmin()', async () => {
    const admin = await openAdmin(memoryStore())
    const groups = [
      'applications',
      'audit',
      'emails',
      'imports',
      'portal',
      'registration',
      'sessionSecret',
      'signingKeys',
      'usage',
    ] as const
    const names = groups.flatMap((group) =>
      [auth[group], (admin as unknown as typeof auth)[group] ?? {}].flatMap((calls) =>
        Object.entries(calls as object).flatMap(([name, call]) =>
          typeof call === 'function' ? [`${group}.${name}`] : [],
        ),
      ),
    )
    const withoutArguments = ['emails.status', 'signingKeys.list', ...groups.map((group) => `${group}.router`)]
    for (const group of groups) expect(auth[group], group).toBeTypeOf('object')
    expect(names.filter((name) => !(name in CALLS) && !withoutArguments.includes(name))).toEqual([])
    await expect(admin.applications.suspend(42 as never)).rejects.toMatchObject({ code: 'application_not_found' })
    await expect(admin.audit.list({ by: {} as never })).rejects.toMatchObject({ code: 'invalid_argument' })
    await admin.close()
  })

  it('have no prototype, so that a polluted one provides no option', async () => {
    const received: unknown[] = []
    const { list } = withCheckedArguments(AUDIT_PARAMETERS, {
      list: async (query?: object) => void received.push(query),
    })
    for (const args of [[], [undefined], [{ limit: 5 }]]) await list(...args)
    expect(received.map((query) => Object.getPrototypeOf(query))).toEqual([null, null, null])
    expect({ ...(received[2] as object) }).toEqual({ limit: 5 })
  })

  it('are named in the error, without their values', async () => {
    const secret = { clientSecret: 'epa_sec_hidden' }
    const error = await auth.applications.suspend(secret as never).catch((reason: Error) => reason.message)
    expect(error).toMatch(/suspend\(\) needs the id of an application: it was given a value of type object/)
    expect(error).not.toContain('hidden')
    const late = auth.applications.suspend('app_1', Promise.resolve({}) as never)
    await expect(late).rejects.toThrow('a promise: await it')
  })
})
