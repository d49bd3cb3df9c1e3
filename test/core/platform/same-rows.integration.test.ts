import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openAdmin } from '../../../src/tools/admin/index.js'
import { createPlatformAuth } from '../../../src/index.js'
import { emails } from '../../../src/features/emails/index.js'
import { imports } from '../../../src/features/imports/index.js'
import { portal } from '../../../src/features/portal/index.js'
import { registration } from '../../../src/features/registration/index.js'
import { usage } from '../../../src/features/usage/index.js'
import { sqliteStore } from '../../../src/stores/sqlite/index.js'
import type { QueuedEmail, StoreWith } from '../../../src/store.js'
import { fakeClock, memoryMailer } from '../../../src/tools/testing/index.js'
import { APIS, recordingLogger, SECRET } from '../../support/platform.js'

const CLOCK = fakeClock()
const OPTIONS = {
  baseUrl: 'https://api.example.com',
  developersUrl: 'https://api.example.com/developers',
  apis: APIS,
  secret: SECRET,
  now: CLOCK.now,
}
const FEATURES = [
  emails({ mailer: memoryMailer() }),
  registration({ operators: ['boss@example.com'] }),
  portal(),
  usage(),
  imports(),
]

let folder: string
let file: string
let id: string

/** Nothing runs in the background, so that e-mails stay as they are. */
function open(path: string, features: typeof FEATURES | readonly []) {
  const store = sqliteStore(path)
  return {
    store,
    auth: createPlatformAuth({ ...OPTIONS, store, features, background: false, logger: recordingLogger() }),
  }
}

/** An application with two contacts, and with e-mails in every state: waiting, being sent, sent with a link, failed. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'platform-auth-'))
  file = join(folder, 'start.sqlite')
  const { auth, store } = open(file, FEATURES)
  const { application } = await auth.applications.create({
    name: 'Shop',
    contact: 'dev@shop.example',
    apis: ['orders', 'catalog'],
  })
  id = application.id
  await auth.applications.addContact(id, 'second@shop.example')
  for (const name of ['one', 'two', 'three']) await auth.applications.addKey(id, { name })
  const { keys } = (await auth.applications.get(id))!
  for (const key of keys) await auth.applications.rotateKey(id, { credential: key.id, deliver: 'email' })
  await auth.applications.rotateSecret(id, { deliver: 'email' })
  await leaveInEveryState(store)
  await auth.close()
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function leaveInEveryState(store: StoreWith): Promise<void> {
  const record = (await store.findApplication(id))!
  const queued = await store.emails.list({ applicationId: id, state: undefined, limit: 10 })
  const links = [{ hash: 'the hash of a link', expiresAt: CLOCK.now() + 3_600_000 }]
  const states: Partial<QueuedEmail>[] = [
    { leasedUntil: CLOCK.now() + 60_000, attemptCount: 1, attemptedHashes: [[record.keys[1]!.hash]] },
    { state: 'claimable', claimLinks: links, attemptCount: 1 },
    { state: 'failed', attemptCount: 9, problem: '550' },
  ]
  for (const [index, state] of states.entries()) {
    const email = queued[index]!
    expect(await store.emails.save({ ...email, ...state, version: email.version + 1 })).toBe(true)
  }
}

type Platform = ReturnType<typeof open>['auth']
type AdminCalls = Pick<
  Platform['applications'],
  'suspend' | 'delete' | 'update' | 'removeContact' | 'endCredential' | 'resume'
>

/** The rows of every table, without what is random or a time. */
function readRows(path: string): Record<string, unknown[]> {
  const database = new DatabaseSync(path)
  const tables = database.prepare(`SELECT name FROM sqlite_master WHERE type = 'table'`).all() as { name: string }[]
  const rows = tables.map(({ name }) => {
    const found = database.prepare(`SELECT * FROM "${name}"`).all()
    return [name, found.map((row) => normalize(JSON.stringify(row))).toSorted()] as const
  })
  database.close()
  return Object.fromEntries(rows.filter(([name]) => !/changes|audit|meta/.test(name)))
}

/** New hashes, ids and prefixes are random. */
function normalize(json: string): string {
  return json
    .replaceAll(/(?<=cred_|email_)\w+/g, 'X')
    .replaceAll(/(?<=nonce":")[\w-]+/g, 'X')
    .replaceAll(/(?<=")[A-Za-z0-9_-]{43}(?==?")/g, 'HASH')
    .replaceAll(/epa_(key|sec)_\w+/g, 'epa_$1_X')
    .replaceAll(/\b17\d{11}\b/g, 'TIME')
}

describe('a call leaves the same rows whatever features the process was given:', () => {
  const calls: Record<string, (applications: AdminCalls) => Promise<unknown>> = {
    suspend: (applications) => applications.suspend(id, { reason: 'late payment', notify: true }),
    'suspend and resume': async (applications) => {
      await applications.suspend(id)
      await applications.resume(id)
    },
    delete: (applications) => applications.delete(id),
    'update({ contact })': (applications) => applications.update(id, { contact: 'new@shop.example' }),
    removeContact: (applications) => applications.removeContact(id, 'dev@shop.example'),
  }
  const onPlatforms: Record<string, (applications: Platform['applications']) => Promise<unknown>> = {
    rotateKey: async (applications) => {
      for (const name of ['default', 'one', 'two', 'three']) {
        const { keys } = (await applications.get(id))!
        const credential = keys.find((key) => key.name === name)?.id
        if (credential !== undefined) await applications.rotateKey(id, { credential, overlap: 60 })
      }
    },
    rotateSecret: (applications) => applications.rotateSecret(id),
    recover: (applications) => applications.recover(id, { contact: 'new@shop.example' }),
    disallow: (applications) => applications.disallow(id, 'orders'),
  }
  let copies = 0

  async function callOn(work: (path: string) => Promise<unknown>): Promise<Record<string, unknown[]>> {
    const path = join(folder, `copy-${(copies += 1)}.sqlite`)
    await copyFile(file, path)
    await work(path)
    return readRows(path)
  }

  const onPlatform = (
    features: typeof FEATURES | readonly [],
    call: (applications: Platform['applications']) => Promise<unknown>,
  ) =>
    callOn(async (path) => {
      const { auth } = open(path, features)
      await auth.ready()
      await call(auth.applications)
      await auth.close()
    })

  it.each(Object.entries({ ...calls, ...onPlatforms }))('%s', async (_, call) => {
    const before = readRows(file)
    const withFeatures = await onPlatform(FEATURES, call)
    expect(withFeatures).not.toEqual(before)
    expect(await onPlatform([], call)).toEqual(withFeatures)
  })

  it.each(Object.entries(calls))('%s, by the command line without any options', async (_, call) => {
    const withFeatures = await onPlatform(FEATURES, call)
    const byAdmin = await callOn(async (path) => {
      const admin = await openAdmin(sqliteStore(path))
      await call(admin.applications)
      await admin.close()
    })
    expect(byAdmin).toEqual(withFeatures)
  })
})
