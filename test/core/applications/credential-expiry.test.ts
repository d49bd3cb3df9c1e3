import { describe, expect, it } from 'vitest'
import {
  type CredentialUse,
  applyExpiry,
  findExpiring,
  findLatestExpiry,
} from '../../../src/core/applications/credentials/credential-expiry.js'
import { findDueReminder, markReminded } from '../../../src/features/emails/reminders.js'
import type { ApplicationRecord, CredentialRecord } from '../../../src/store.js'
import { application, credential as createStored } from '../../stores/suite/records.js'

const DAY_MS = 24 * 3600 * 1000
const REMIND_BEFORE = [30, 14, 7, 1]

function createCredential(changed: Partial<CredentialRecord> = {}): CredentialRecord {
  return createStored('hash', { id: 'cred_1', createdAt: 0, ...changed })
}

/** The credential after its expiry was set at that time. */
function withExpiry(former: CredentialRecord, expiresAt: number, now: number): CredentialRecord {
  const stored = application('a', { keys: [former] })
  return applyExpiry(undefined, stored, { ...stored, keys: [{ ...former, expiresAt }] }, now).keys[0]!
}

describe('the latest expiry of a new credential', () => {
  const apis = new Map([
    ['orders', { scheme: 'oauth2' as const, credentialMaxAge: 60 }],
    ['payments', { scheme: 'oauth2' as const, credentialMaxAge: 10 }],
    ['catalog', { scheme: 'apiKey' as const, credentialMaxAge: 20 }],
    ['weather', { scheme: 'apiKey' as const, credentialMaxAge: undefined }],
  ])
  const ALL = { orders: { scopes: [] }, payments: { scopes: [] }, catalog: { scopes: [] }, weather: { scopes: [] } }
  const { orders, catalog, weather } = ALL

  it.each([
    ['none without a maximum age', undefined, { kind: 'key', granted: { weather } }, undefined],
    ['that of the platform', 90, { kind: 'key', granted: { weather } }, 90],
    ['that of an API', undefined, { kind: 'key', granted: { catalog } }, 20],
    ['the earlier one of platform and API', 90, { kind: 'key', granted: { catalog } }, 20],
    ['the earlier one of API and platform', 15, { kind: 'key', granted: { catalog } }, 15],
    ['the earliest of several APIs', 90, { kind: 'secret', granted: ALL }, 10],
    ['not that of an API where only the other kind is presented', 90, { kind: 'key', granted: { orders } }, 90],
    ['not that of an API that the application may not use', 90, { kind: 'secret', granted: { orders } }, 60],
    ['not that of an API outside the restriction', 90, { kind: 'secret', granted: ALL, restriction: { orders } }, 60],
    ['not that of an API in the restriction only', 90, { kind: 'secret', granted: { orders }, restriction: ALL }, 60],
    [
      'not one that an object inherits',
      undefined,
      { kind: 'secret', granted: Object.create(ALL) as object },
      undefined,
    ],
  ] as const)('is %s', (_, maxAge, use, days) => {
    const latest = findLatestExpiry({ maxAge, apis }, { restriction: undefined, ...use } as CredentialUse, 1000)
    expect(latest).toBe(days === undefined ? undefined : 1000 + days * DAY_MS)
  })
})

describe('a record that is saved', () => {
  const ages = {
    maxAge: 90,
    apis: new Map([
      ['orders', { scheme: 'oauth2' as const, credentialMaxAge: undefined }],
      ['payments', { scheme: 'oauth2' as const, credentialMaxAge: 10 }],
    ]),
  }
  const [orders, payments] = [{ orders: { scopes: [] } }, { payments: { scopes: [] } }]
  const created = createCredential({ createdAt: 5 })
  const daysOf = (record: ApplicationRecord): unknown[] =>
    [...record.keys, ...record.secrets].map(({ expiresAt }) => expiresAt && expiresAt / DAY_MS)

  it('gives new credentials the end of their maximum age, counted from their creation', () => {
    const record = application('a', { apis: payments, keys: [created], secrets: [created] })
    const applied = applyExpiry(ages, undefined, record, 7)
    expect([...applied.keys, ...applied.secrets].map(({ expiresAt }) => expiresAt)).toEqual([
      5 + 90 * DAY_MS,
      5 + 10 * DAY_MS,
    ])
  })

  it('keeps an earlier expiry, and one without a maximum age', () => {
    const early = { ...created, expiresAt: 3 * DAY_MS }
    expect(daysOf(applyExpiry(ages, undefined, application('a', { keys: [early] }), 0))).toEqual([3])
    expect(daysOf(applyExpiry(undefined, undefined, application('a', { keys: [created, early] }), 0))).toEqual([
      undefined,
      3,
    ])
  })

  it('leaves credentials alone that are stored already, whatever their expiry', () => {
    const late = { ...created, expiresAt: 900 * DAY_MS, remindedDays: 400 }
    const former = application('a', { apis: orders, keys: [created], secrets: [late] })
    const applied = applyExpiry(ages, former, { ...former, name: 'Another', version: 2 }, 50)
    expect([applied.keys, applied.secrets]).toEqual([[created], [late]])
  })

  it('ends the credentials that can be used at an API that is granted, its maximum age later', () => {
    const restricted = createCredential({ id: 'cred_2', apis: orders })
    const early = createCredential({ id: 'cred_3', expiresAt: 3 * DAY_MS, remindedDays: 3 })
    const former = application('a', { apis: orders, keys: [created], secrets: [created, restricted, early] })
    const granted = { ...former, apis: { ...orders, ...payments }, version: 2 }
    const applied = applyExpiry(ages, former, granted, DAY_MS)
    expect(daysOf(applied)).toEqual([undefined, 11, undefined, 3])
    expect(applied.secrets[0]?.remindedDays).toBe(10)
    expect(daysOf(applyExpiry(ages, applied, { ...applied, version: 3 }, 5 * DAY_MS))).toEqual(daysOf(applied))
  })
})

describe('the reminder that is due', () => {
  const expiresAt = 100 * DAY_MS
  const credential = withExpiry(createCredential(), expiresAt, 0)

  it('is none for a credential that does not expire, and for one that has expired', () => {
    expect(findDueReminder(createCredential(), REMIND_BEFORE, 0)).toBeUndefined()
    expect(findDueReminder(credential, REMIND_BEFORE, expiresAt)).toBeUndefined()
  })

  it.each([
    [30, undefined, 30],
    [14, 30, 14],
    [7, 14, 7],
    [1, 7, 1],
  ])('is due exactly %i days before the expiry', (days, remindedDays, due) => {
    const reminded = { ...credential, ...(remindedDays !== undefined && { remindedDays }) }
    expect(findDueReminder(reminded, REMIND_BEFORE, expiresAt - days * DAY_MS - 1)).toBeUndefined()
    expect(findDueReminder(reminded, REMIND_BEFORE, expiresAt - days * DAY_MS)).toBe(due)
  })

  it('is each once', () => {
    const time = expiresAt - 30 * DAY_MS
    const marked = markReminded(credential, REMIND_BEFORE, time)
    expect(marked.remindedDays).toBe(30)
    expect(findDueReminder(marked, REMIND_BEFORE, time)).toBeUndefined()
    expect(markReminded(marked, REMIND_BEFORE, time)).toBe(marked)
  })

  it('is the last one of several that are due at once', () => {
    expect(findDueReminder(credential, REMIND_BEFORE, expiresAt - 6 * DAY_MS)).toBe(7)
    expect(findDueReminder(credential, REMIND_BEFORE, expiresAt - 1)).toBe(1)
    expect(markReminded(credential, REMIND_BEFORE, expiresAt - 1).remindedDays).toBe(1)
  })

  it('is none whose time had passed when the expiry was set', () => {
    const short = withExpiry(createCredential(), 20 * DAY_MS, 0)
    expect(findDueReminder(short, REMIND_BEFORE, 0)).toBeUndefined()
    expect(findDueReminder(short, REMIND_BEFORE, 6 * DAY_MS)).toBe(14)
    const overlap = withExpiry(credential, 51 * DAY_MS, 50 * DAY_MS)
    expect(findDueReminder(overlap, REMIND_BEFORE, 50 * DAY_MS)).toBeUndefined()
    expect(findDueReminder(overlap, REMIND_BEFORE, 50.5 * DAY_MS)).toBeUndefined()
  })

  it('is none of those that are added to the options when their time has passed', () => {
    const short = withExpiry(createCredential(), 20.5 * DAY_MS, 0)
    expect(findDueReminder(short, [25, 21], 0)).toBeUndefined()
    expect(findDueReminder(short, [25, 20], 0.5 * DAY_MS)).toBe(20)
  })

  it('starts again when the expiry changes, and not when it stays', () => {
    const marked = markReminded(credential, REMIND_BEFORE, expiresAt - 5 * DAY_MS)
    expect(withExpiry(marked, expiresAt, 95 * DAY_MS)).toEqual(marked)
    const longer = withExpiry(marked, 140 * DAY_MS, 96 * DAY_MS)
    expect(findDueReminder(longer, REMIND_BEFORE, 96 * DAY_MS)).toBeUndefined()
    expect(findDueReminder(longer, REMIND_BEFORE, 110 * DAY_MS)).toBe(30)
  })

  it('counts from the creation for a credential whose expiry an earlier version has set', () => {
    const earlier = createCredential({ expiresAt: 20 * DAY_MS })
    expect(findDueReminder(earlier, REMIND_BEFORE, 0)).toBeUndefined()
    expect(markReminded(earlier, REMIND_BEFORE, 0).remindedDays).toBe(20)
    expect(findDueReminder(earlier, REMIND_BEFORE, 6 * DAY_MS)).toBe(14)
  })
})

describe('a credential that is about to expire', () => {
  const now = 50
  const former = createCredential({ id: 'cred_old', expiresAt: 100 })
  const find = (...keys: readonly CredentialRecord[]) => findExpiring({ keys, secrets: [] }, former.id, now)

  it('is found among keys and secrets, with its kind', () => {
    expect(find(former)).toEqual({ kind: 'key', credential: former, replacement: undefined })
    expect(findExpiring({ keys: [], secrets: [former] }, former.id, now)).toMatchObject({ kind: 'secret' })
  })

  it('is not found if it was removed, has expired, or does not expire', () => {
    expect(find()).toBeUndefined()
    expect(find({ ...former, expiresAt: now })).toBeUndefined()
    expect(find({ ...former, expiresAt: undefined })).toBeUndefined()
    expect(findExpiring({ keys: [former], secrets: [] }, undefined, now)).toBeUndefined()
  })

  it('is found with its replacement while that has not been used', () => {
    const newer = createCredential({ id: 'cred_new' })
    expect(find(newer, former)?.replacement).toBe(newer)
    expect(find({ ...newer, lastUsedAt: 40 }, former)).toBeUndefined()
  })

  it('has no replacement in a credential of another name, an older one, or one that has expired', () => {
    const used = createCredential({ id: 'cred_new', lastUsedAt: 40 })
    expect(find({ ...used, name: 'warehouse' }, former)?.replacement).toBeUndefined()
    expect(find(former, used)?.replacement).toBeUndefined()
    expect(find({ ...used, expiresAt: now }, former)?.replacement).toBeUndefined()
  })
})
