import { describe, expect, it, vi } from 'vitest'
import { createReadOnlyStore } from '../../../../src/tools/cli/doctor/startup-checks.js'
import type { Store, StoreWith } from '../../../../src/store.js'
import { sqliteStore } from '../../../../src/stores/sqlite/index.js'
import type { FullPlatform } from '../../../support/platform.js'
import { memoryMailer } from '../../../../src/tools/testing/index.js'
import { CALLS } from '../../../stores/calls.js'
import { application, audit, email, signIn } from '../../../stores/suite/records.js'
import { createSite } from '../command-line.js'
import { readTables, runDoctor, useDoctorSite } from './doctor-site.js'

const { getFile, switchTo, withStore, writeConfig } = useDoctorSite()

describe("the store of the doctor's trial start", () => {
  it('changes nothing, whatever call it gets', async () => {
    await fillEveryPart()
    const before = await readTables(getFile())
    await withStore(async (store) => {
      const readOnly = (await createReadOnlyStore(store)) as StoreWith
      for (const [, call] of [...CALLS, ...MORE_CALLS]) await call(readOnly)
    })
    expect(await readTables(getFile())).toEqual(before)
  })

  it('is tested with every call of each part', () => {
    const store = sqliteStore(getFile())
    const tested = new Set<string>(CALLS.map(([name]) => name))
    for (const part of ['emails', 'usage', 'signIns', 'imports'] as const) {
      for (const name of Object.keys(store[part])) expect(tested).toContain(`${part}.${name}`)
    }
  })

  it('reads what is stored, and lacks the parts that the store lacks', async () => {
    await fillEveryPart()
    await withStore(async (store) => {
      const readOnly = await createReadOnlyStore(store)
      expect(await readOnly.emails?.find('email_due')).toEqual(await store.emails.find('email_due'))
      expect(await readOnly.signIns?.findByLink('link-s')).toMatchObject({ id: 's' })
      expect(await readOnly.imports?.countHashes?.()).toEqual(await store.imports.countHashes?.())
      const { usage: _usage, signIns: _signIns, ...core } = store
      const lacking: Store = await createReadOnlyStore(core)
      expect({ usage: lacking.usage, signIns: lacking.signIns }).toEqual({})
      expect('usage' in lacking).toBe(false)
      expect(lacking.emails).toBeDefined()
    })
  })
})

describe('the doctor', () => {
  it('changes nothing in any part, with options that would send, remind, count and clean up', async () => {
    await switchTo(
      await createSite(
        async (auth) => {
          const { applications, registration, portal } = auth as FullPlatform
          await registration.register({ name: 'Buyer', contact: 'dev@shop.example', apis: ['orders'] })
          await applications.create({ name: 'Ending', contact: 'dev@shop.example', apis: ['catalog'] })
          await portal.link({ contact: 'dev@shop.example' })
        },
        {
          mailer: memoryMailer(),
          developersUrl: 'https://example.com/developers',
          credentials: { maxAge: 3 },
          remindBefore: [],
        },
      ),
    )
    await fillEveryPart()
    const sent = `${getFile()}.emails`
    vi.stubEnv('CLI_MAIL', sent)
    const every = ['emails', 'registration', 'portal', 'usage', 'imports'].map(
      (name) => `import { ${name} } from ${JSON.stringify(import.meta.resolve(`express-platform-auth/${name}`))}`,
    )
    const args = await writeConfig(`${every.join('\n')}
      import { appendFileSync } from 'node:fs'
      const mailer = { async send(email) { appendFileSync(${JSON.stringify(sent)}, 'sent') } }
      const features = [emails({ mailer, remindBefore: [7] }), registration(), portal(), usage(), imports()]
      export default { ...base(), features, background: { auditRetention: 30 } }`)
    const before = await readTables(getFile())
    const { findings } = await runDoctor(...args)
    expect(findings.filter(({ check }) => check === 'options')).toEqual([])
    expect(await readTables(getFile())).toEqual(before)
  })
})

/** Rows in every part, that are due or have expired. */
async function fillEveryPart(): Promise<void> {
  await withStore(async (store) => {
    const id = `app_${'0'.repeat(32)}`
    const record = application(id)
    const due = email('email_due', { applicationId: id, state: 'due', dueAt: 1, leasedUntil: 0 })
    expect(await store.saveApplication(record, audit(id, { at: 1 }), { save: due })).toBe(true)
    const refused = { applicationId: id, api: 'orders', reason: 'not_allowed', error: 'access_denied' }
    await store.usage.add({ id: 'a', at: 1 }, [
      { day: '2001-01-01', applicationId: id, api: 'orders', outcome: 'allowed', count: 1 },
    ])
    const refusal = { ...refused, at: 1, requestId: undefined, address: undefined, details: {} }
    await store.usage.addRefusals({ id: 'b', at: 1 }, [refusal], 10)
    await store.usage.addReported({ id: 'c', at: 1 }, [{ ...refused, route: 'GET /', count: 1, firstAt: 1, lastAt: 1 }])
    await store.signIns.add(signIn('s'))
    await store.signIns.addSignOut({ subject: 'contact:a@example.com', nonce: 'first', at: 1, expiresAt: 2 ** 42 })
    await store.revokeAccessToken({ id: 'jti', expiresAt: 2 ** 42 }, 1)
  })
}

/** Calls that change what `fillEveryPart()` has stored. */
const MORE_CALLS: typeof CALLS = [
  ['emails.save', async (store) => store.emails.save({ ...(await store.emails.find('email_due'))!, version: 2 })],
  [
    'usage.add',
    (store) =>
      store.usage.add({ id: 'z', at: 1 }, [
        { day: '2002-01-01', applicationId: `app_${'0'.repeat(32)}`, api: 'orders', outcome: 'allowed', count: 1 },
      ]),
  ],
  [
    'usage.deleteExpired',
    (store) =>
      store.usage.deleteExpired({
        countsBefore: '2020-01-01',
        refusalsBefore: 10,
        reportedBefore: 10,
        batchesBefore: 10,
        limit: 10,
      }),
  ],
  [
    'imports.add',
    (store) =>
      store.imports.add([{ record: application('imported'), audit: audit('imported'), otherHashes: [] }], {
        write: true,
      }),
  ],
]
