import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { ApplicationRecord, CredentialRecord } from '../../../src/store.js'
import { containsNetwork } from '../../../src/shared/lib/networks.js'
import { memoryMailer } from '../../../src/tools/testing/index.js'
import { IS_LONG_LANE } from '../../support/long-lane.js'
import { openPlatform, STORES } from '../../support/platform.js'

const CONTACT = 'anna@example.com'
const BY = `contact:${CONTACT}`
const OFFICE = ['203.0.113.0/24']
const DAY_MS = 86_400_000

const APIS = {
  orders: { scheme: 'oauth2', scopes: { read: 'Read', write: 'Write' }, registration: 'automatic' },
  invoices: { scheme: 'oauth2', scopes: { read: 'Read' }, registration: 'automatic' },
  catalog: { scheme: 'apiKey', scopes: { read: 'Read', write: 'Write' }, registration: 'automatic' },
  weather: { scheme: 'apiKey', registration: 'automatic' },
} as const

/** Each member of a record: how operators restrict with it, or why it is no restriction. A new member needs a decision here. */
const MEMBERS: Record<keyof ApplicationRecord | `each ${keyof CredentialRecord}`, string> = {
  apis: 'withheld.apis',
  networks: 'withheld.networks',
  rateLimits: 'set by operators only',
  plan: 'set by operators only',
  resourceServer: 'set by operators only',
  status: 'resumed by operators only',
  endsAt: 'no call changes it',
  tokensRevokedAt: 'only grows',
  'each apis': 'withheld.credentials',
  'each networks': 'withheld.credentials',
  'each expiresAt': 'withheld.credentials',
  withheld: 'not changed by contacts, but for what is left of credentials',
  keys: 'the members of each',
  secrets: 'the members of each',
  id: 'none',
  name: 'none',
  contact: 'none',
  isUnconfirmed: 'none',
  isHeld: 'decided by operators only',
  otherContacts: 'none',
  invitations: 'none',
  language: 'none',
  accessRequests: 'none',
  decided: 'none',
  metadata: 'none',
  externalId: 'none',
  acceptedTerms: 'none',
  lastUsedAt: 'none',
  createdAt: 'none',
  uncounted: 'none',
  version: 'none',
  'each id': 'none',
  'each name': 'none',
  'each hash': 'none',
  'each prefix': 'none',
  'each createdAt': 'none',
  'each lastUsedAt': 'none',
  'each isImported': 'none',
  'each remindedDays': 'none',
  'each keySet': 'none',
}

async function open(openStore: (typeof STORES)[keyof typeof STORES] = STORES.memory) {
  const { store, remove } = await openStore()
  const mailer = memoryMailer()
  const { auth, clock } = openPlatform({ apis: APIS, store, mailer, developersUrl: 'https://example.com/developers' })
  onTestFinished(async () => {
    await auth.close()
    await remove()
  })
  const { applications } = auth
  const granted = { orders: {}, catalog: {}, weather: {} }
  const created = await applications.create({ name: 'Shop', contact: CONTACT, apis: granted })
  const { id } = created.application
  const read = async (): Promise<ApplicationRecord> => (await store.findApplication(id))!
  /** Ends each credential of that name. */
  const end = async (name: string, by?: string): Promise<void> => {
    const { keys, secrets } = await read()
    for (const each of [...keys, ...secrets])
      if (each.name === name) await applications.endCredential(id, each.id, by === undefined ? {} : { by })
  }
  return { auth, applications, clock, mailer, id, read, end }
}

type Opened = Awaited<ReturnType<typeof open>>

/** The use of an application's credentials of a kind: `API scope network`, and its end. */
function listUses({ keys, secrets }: Pick<ApplicationRecord, 'keys' | 'secrets'>, names: readonly string[]): string[] {
  const listed = [...keys.map((key) => ['key', key] as const), ...secrets.map((secret) => ['secret', secret] as const)]
  return listed
    .filter(([, { name }]) => names.includes(name))
    .flatMap(([kind, { apis, networks = ['any'], expiresAt }]) =>
      Object.entries(apis ?? { any: { scopes: ['any'] } }).flatMap(([api, { scopes }]) =>
        networks.map((network) => [kind, api, scopes.join('+'), network, expiresAt ?? 'never'].join(' ')),
      ),
    )
    .toSorted()
}

/** The ways in which credentials come into being that no operator has decided about, and the names of what they make. */
const WAYS: Record<string, (app: Opened) => Promise<readonly string[]>> = {
  'adds others': async ({ applications, id }) => {
    await applications.addKey(id, { name: 'mine', by: BY })
    await applications.addSecret(id, { name: 'mine', by: BY })
    return ['mine']
  },
  'ends all and adds others': async ({ applications, id, end }) => {
    await end('office', BY)
    await applications.addKey(id, { name: 'mine', by: BY })
    await applications.addSecret(id, { name: 'mine', by: BY })
    return ['mine']
  },
  'rotates them': async ({ applications, id, read }) => {
    const { keys, secrets } = await read()
    await applications.rotateKey(id, { credential: keys[0]!.id, overlap: 0, by: BY })
    await applications.rotateSecret(id, { credential: secrets[0]!.id, overlap: 0, by: BY })
    return ['office']
  },
  'rotates others, renames and ends them, and adds others again': async ({ applications, id, read, end }) => {
    await applications.addKey(id, { name: 'first', by: BY })
    await applications.addSecret(id, { name: 'first', by: BY })
    const credential = (await read()).keys[0]!.id
    await applications.rotateKey(id, { credential, by: BY })
    await applications.updateCredential(id, (await read()).keys[0]!.id, { name: 'renamed', by: BY })
    for (const name of ['office', 'first', 'renamed']) await end(name, BY)
    await applications.addKey(id, { name: 'mine', by: BY })
    await applications.addSecret(id, { name: 'mine', by: BY })
    return ['mine']
  },
  'adds others after an operator has ended all': async ({ applications, id, end }) => {
    await end('office', 'alice')
    await applications.addKey(id, { name: 'mine', by: BY })
    await applications.addSecret(id, { name: 'mine', by: BY })
    return ['mine']
  },
  'makes the first ones anew, by an operator without terms': async ({ applications, id, end }) => {
    await end('office', 'alice')
    await applications.rotateKey(id, { by: 'alice' })
    await applications.rotateSecret(id, { by: 'alice' })
    return ['default']
  },
  'gets others of recover()': async ({ applications, id }) => {
    await applications.recover(id, { contact: CONTACT })
    return ['default']
  },
  'gets others of recover() by e-mail, and adds others': async ({ applications, id, read, mailer, clock }) => {
    await applications.recover(id, { contact: CONTACT, deliver: 'email' })
    clock.advance(1)
    await vi.waitFor(async () => expect((await read()).keys).not.toEqual([]), 20_000)
    expect(mailer.emails).not.toEqual([])
    await applications.addKey(id, { name: 'mine', by: BY })
    await applications.addSecret(id, { name: 'mine', by: BY })
    return ['default', 'mine']
  },
}

/** The restrictions of credentials, and the use that they leave. */
const TERMS = {
  networks: [
    { networks: OFFICE },
    { networks: OFFICE },
    ['key any any 203.0.113.0/24', 'secret any any 203.0.113.0/24'],
  ],
  APIs: [{ apis: ['weather'] }, { apis: ['orders'] }, ['key weather  any', 'secret orders read+write any']],
  scopes: [
    { apis: { catalog: { scopes: ['read'] } } },
    { apis: { orders: { scopes: ['read'] } } },
    ['key catalog read any', 'secret orders read any'],
  ],
  ends: [{ expiresAt: 40 }, { expiresAt: 30 }, ['key any any any 40', 'secret any any any 30']],
} as const

/** What is withheld is a member of the record, which every store keeps as it is. */
const stores = IS_LONG_LANE ? STORES : { memory: STORES.memory }
describe.each(Object.entries(stores))('A contact gets no more than operators have left, on %s', (_name, openStore) => {
  describe.each(Object.entries(TERMS))('of %s', (restriction, [ofKey, ofSecret, left]) => {
    it.each(Object.entries(WAYS))('when he %s', async (_way, act) => {
      const app = await open(openStore)
      const { applications, id, end, read, clock } = app
      const at = (days: number): number => clock.now() + days * DAY_MS
      const toTerms = (terms: object) =>
        'expiresAt' in terms ? { expiresAt: new Date(at(terms.expiresAt as number)) } : (terms as { apis: ['orders'] })
      await applications.addKey(id, { name: 'office', ...toTerms(ofKey), by: 'alice' })
      await applications.addSecret(id, { name: 'office', ...toTerms(ofSecret), by: 'alice' })
      await end('default', 'alice')
      const expected = left.map((use) =>
        restriction === 'ends' ? use.replace(/\d+$/, (days) => String(at(Number(days)))) : `${use} never`,
      )
      const names = await act(app)
      expect([...new Set(listUses(await read(), names))]).toEqual(expected.toSorted())
    })
  })
})

describe('What operators left', () => {
  it('is judged for keys and secrets together: the first secret of an application has no more than its keys', async () => {
    const { applications, id, end, read } = await open()
    await applications.addKey(id, { name: 'office', networks: OFFICE, by: 'alice' })
    await end('default', 'alice')
    await applications.addSecret(id, { name: 'mine', by: BY })
    expect(listUses(await read(), ['mine'])).toEqual(['secret any any 203.0.113.0/24 never'])
  })

  it('is lifted by an operator: another credential, other networks, another end', async () => {
    const { applications, id, end, read } = await open()
    const { credential } = await applications.addKey(id, { name: 'office', networks: OFFICE, by: 'alice' })
    await end('default', 'alice')
    await applications.updateCredential(id, credential.id, { networks: null, by: 'alice' })
    await applications.addKey(id, { name: 'mine', by: BY })
    await applications.updateCredential(id, credential.id, { networks: OFFICE, by: 'alice' })
    await end('mine', 'alice')
    await applications.addKey(id, { name: 'bound', by: BY })
    await applications.addKey(id, { name: 'lifted', by: 'alice' })
    await applications.addKey(id, { name: 'free', by: BY })
    const uses = async (name: string) => listUses(await read(), [name])
    expect(await uses('bound')).toEqual(['key any any 203.0.113.0/24 never'])
    expect(await uses('free')).toEqual(['key any any any never'])
  })

  it('joins what several credentials allow, and mixes none: no API from the network of another', async () => {
    const { applications, id, end, read } = await open()
    await applications.addKey(id, { name: 'office', apis: { catalog: { scopes: ['read'] } }, networks: OFFICE })
    await applications.addKey(id, { name: 'lab', apis: { catalog: { scopes: ['write'] } }, networks: ['192.0.2.0/24'] })
    await applications.addKey(id, { name: 'batch', apis: ['weather'], networks: ['203.0.113.128/25', '198.51.100.7'] })
    await end('default')
    await applications.addKey(id, { name: 'mine', by: BY })
    const mine = (await read()).keys[0]!
    const allowed = (await read()).keys.filter(({ name }) => name !== 'mine')
    for (const [api, { scopes }] of Object.entries(mine.apis!))
      for (const scope of scopes.length > 0 ? scopes : [undefined])
        for (const network of mine.networks!)
          expect(
            allowed.some(
              ({ apis, networks }) =>
                apis?.[api] &&
                (scope === undefined || apis[api].scopes.includes(scope)) &&
                networks!.some((outer) => containsNetwork(outer, network)),
            ),
            `${api} ${scope} ${network}`,
          ).toBe(true)
    await end('batch', 'alice')
    await end('lab', 'alice')
    await end('mine', BY)
    await applications.addKey(id, { name: 'narrow', by: BY })
    expect(listUses(await read(), ['narrow'])).toEqual(['key catalog read 203.0.113.0/24 never'])
  })

  it('is not wider because an operator once gave more, nor for an API that the contact got by himself', async () => {
    const { applications, auth, id, end, read } = await open()
    await applications.addSecret(id, { name: 'wide', networks: OFFICE, by: 'alice' })
    await applications.addSecret(id, {
      name: 'narrow',
      apis: { orders: { scopes: ['read'] } },
      networks: OFFICE,
      by: 'alice',
    })
    for (const name of ['default', 'wide', 'narrow']) await end(name, 'alice')
    await auth.registration.requestAccess(id, { api: 'invoices', by: BY })
    await applications.addSecret(id, { name: 'mine', by: BY })
    expect(listUses(await read(), ['mine'])).toEqual(['secret orders read 203.0.113.0/24 never'])
  })

  it('is nothing for another API: then a contact gets no secret, and is told so', async () => {
    const { applications, id, end } = await open()
    await applications.addSecret(id, { name: 'office', apis: ['orders'], networks: OFFICE, by: 'alice' })
    await end('default', 'alice')
    const wider = { apis: ['catalog'], by: BY } as const
    await expect(applications.addKey(id, { name: 'mine', ...wider })).rejects.toMatchObject({ code: 'not_granted' })
  })

  it('is what operators had left a contact who ends it himself, and what a recovery ends', async () => {
    const { applications, id, end, read, clock } = await open()
    const [key] = (await read()).keys
    await applications.updateCredential(id, key!.id, { networks: OFFICE, by: 'alice' })
    await end('default', BY)
    await applications.addSecret(id, { name: 'mine', by: BY })
    expect(listUses(await read(), ['mine'])).toEqual(['secret any any any never'])
    await applications.recover(id, { contact: CONTACT, deliver: 'email' })
    clock.advance(1)
    await vi.waitFor(async () => expect((await read()).keys).not.toEqual([]), 20_000)
    const recovered = ['key any any 203.0.113.0/24 never', 'secret any any any never']
    expect(listUses(await read(), ['default'])).toEqual(recovered)
    // Whoever operates the platform takes away more.
    await end('default', 'alice')
    await applications.addSecret(id, { name: 'narrow', apis: ['orders'], by: 'alice' })
    await end('narrow', 'alice')
    await applications.addSecret(id, { name: 'other', by: BY })
    expect(listUses(await read(), ['other'])).toEqual(['secret orders read+write any never'])
  })

  it('keeps what a contact has narrowed for himself apart from what operators did', async () => {
    const { applications, id, end, read } = await open()
    await applications.addKey(id, { name: 'mine', apis: ['weather'], networks: OFFICE, by: BY })
    await end('default', BY)
    await applications.addKey(id, { name: 'other', by: BY })
    expect(listUses(await read(), ['other'])).toEqual(['key any any any never'])
  })
})

describe('Every restriction that operators have', () => {
  it('is listed here', async () => {
    const { read } = await open()
    const record = await read()
    const ofEach = Object.keys(record.keys[0]!).map((member) => `each ${member}`)
    expect([...Object.keys(record), ...ofEach].toSorted()).toEqual(Object.keys(MEMBERS).toSorted())
  })

  it('is not taken back by a contact, whichever call of the application he makes', async () => {
    const { applications, auth, id, read } = await open()
    const [first] = (await read()).keys
    await applications.update(id, { networks: OFFICE, rateLimits: { '*': { limit: 1, window: 1 } }, by: 'alice' })
    await applications.allow(id, 'catalog', { scopes: ['read'], by: 'alice' })
    await applications.disallow(id, 'weather', { by: 'alice' })
    await applications.updateCredential(id, first!.id, { networks: ['203.0.113.7'], by: 'alice' })
    const before = await read()
    const refused = [
      () => applications.update(id, { networks: null, by: BY }),
      () => applications.update(id, { networks: ['0.0.0.0/0'], by: BY }),
      () => applications.update(id, { rateLimits: { '*': null }, by: BY }),
      () => applications.allow(id, 'catalog', { rateLimit: { limit: 1000, window: 1 }, by: BY }),
      () => applications.allow(id, 'catalog', { by: BY }),
      () => applications.allow(id, 'weather', { by: BY }),
      () => applications.updateCredential(id, first!.id, { networks: ['198.51.100.7'], by: BY }),
    ]
    for (const call of refused)
      await expect(call()).rejects.toMatchObject({
        code: expect.stringMatching(/^(invalid_state|invalid_argument|not_granted)$/),
      })
    await applications.updateCredential(id, first!.id, { networks: null, by: BY })
    for (const api of ['weather', 'catalog'] as const)
      expect(
        (await auth.registration.requestAccess(id, { api, by: BY })).accessRequests.map((each) => each.api),
      ).toContain(api)
    const { apis, networks, rateLimits, withheld, keys } = await read()
    expect({ apis, networks, rateLimits, withheld, keys }).toEqual({
      apis: before.apis,
      networks: before.networks,
      rateLimits: before.rateLimits,
      withheld: before.withheld,
      keys: before.keys,
    })
    await applications.suspend(id, { by: 'alice' })
    await expect(applications.resume(id, { by: BY })).rejects.toMatchObject({ code: 'invalid_state' })
  })
})
