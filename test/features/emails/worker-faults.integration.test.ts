import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import express from 'express'
import { expect, it } from 'vitest'
import { createTemporaryFolder } from '../../support/temporary-folder.js'
import type { Application } from '../../../src/index.js'
import { sqliteStore } from '../../../src/stores/sqlite/index.js'
import { IS_LONG_LANE } from '../../support/long-lane.js'
import { memoryMailer } from '../../../src/tools/testing/index.js'
import { openPlatform } from '../../support/platform.js'
import { readMail, STAGES, startMailServer, type Fault, type Stage } from '../../support/smtp.js'
import { request } from '../../support/request.js'
import { readCredentials } from '../../core/applications/applicant.js'

/** `npm run test:long`: more registrations, on a real clock. Otherwise the clock runs faster, so that leases end sooner. */
const SETTINGS = IS_LONG_LANE
  ? { registrations: 1000, processes: 3, speed: 1, killing: 60_000, timeout: 600_000 }
  : { registrations: 24, processes: 2, speed: 3, killing: 1000, timeout: 120_000 }

/** Short, because the mail server stays silent often. */
const SMTP_TIMEOUT_MS = '600'

const PROCESS = fileURLToPath(new URL('../../support/mailing-process.mjs', import.meta.url))

it(
  `${SETTINGS.registrations} registrations are all delivered through faults of the mail server and killed processes`,
  { timeout: SETTINGS.timeout },
  async () => {
    const folder = await createTemporaryFolder()
    const file = join(folder, 'platform.sqlite')
    const server = await startMailServer()
    const began = Date.now()
    const now = (): number => began + (Date.now() - began) * SETTINGS.speed
    const processes = openProcesses([file, String(server.port), SMTP_TIMEOUT_MS, String(began), String(SETTINGS.speed)])
    try {
      // Half of all sessions fail.
      server.fault = (stage) => (Math.random() < 0.5 / STAGES.length ? randomFault(stage) : undefined)
      await processes.work()
      const kills = await processes.killAtRandom(file)
      server.fault = undefined

      // An operator's process: it sends nothing itself.
      const unused = memoryMailer()
      const { auth } = openPlatform({
        apis: { orders: { scheme: 'oauth2', registration: 'automatic' }, catalog: { scheme: 'apiKey' } },
        store: sqliteStore(file),
        now,
        mailer: unused,
        background: false,
        rateLimits: { failedAuthentication: false },
      })
      const list = async (after?: string): Promise<Application[]> => {
        const page = await auth.applications.list({ limit: 1000, ...(after !== undefined && { after }) })
        return page.next === undefined ? page.items : [...page.items, ...(await list(page.next))]
      }
      const undelivered = async (): Promise<number> => {
        // What the server refused permanently is retried by the operator.
        await auth.emails.retry()
        return (await list()).filter(({ status }) => status === 'pending').length
      }
      await expect.poll(undelivered, { timeout: SETTINGS.timeout, interval: 400 }).toBe(0)
      const delivered = Date.now()
      expect(unused.emails).toEqual([])

      const applications = await list()
      const stored = new Set(applications.map(({ name }) => name))
      expect(processes.acknowledged().filter((name) => !stored.has(`App ${name}`))).toEqual([])
      expect(applications.length).toBeGreaterThanOrEqual(SETTINGS.registrations)
      expect(new Set(applications.map(({ status }) => status))).toEqual(new Set(['active']))
      expect(server.overlaps).toEqual([])

      const mails = await Promise.all(server.mails.map(async (mail) => ({ ...mail, ...(await readMail(mail)) })))
      for (const { recipients, to, text = '' } of mails) {
        const name = /^Your application “App ([\d.]+)” /.exec(text)?.[1] ?? ''
        expect(recipients).toEqual([`${name}@customer.example`])
        expect(to).toEqual([{ name: '', address: recipients[0] }])
      }

      const app = express().use(auth.router)
      const newest = new Map(mails.map(({ recipients, text = '' }) => [recipients[0], readCredentials({ text })]))
      for (const { contact, keys, secrets } of applications) {
        const { clientId, clientSecret } = newest.get(contact)!
        expect([keys.length, secrets.length]).toEqual([1, 1])
        await expect(auth.verifyApiKey('catalog', clientId)).resolves.toMatchObject({ api: 'catalog' })
        const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret }
        await request(app).post('/orders/token').type('form').send(form).expect(200)
      }

      const known = new Set(mails.flatMap(({ text = '' }) => Object.values(readCredentials({ text })).map(cutMiddle)))
      expect(known.size).toBe(mails.length * 2)
      const database = [...processes.snapshots, ...(await readDatabase(file))]
      const log = processes.lines.join('\n')
      expect(log).toContain('event {"type":"application.delivered"')
      expect(log).toContain('was not delivered')
      expect([...database, log].filter((bytes) => containsAny(bytes, known))).toEqual([])
      await auth.close()

      if (IS_LONG_LANE) {
        const seconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(1)} s`
        process.stdout.write(
          `${applications.length} registrations, ${mails.length} emails, ${server.connections} sessions, ${kills} kills; all delivered after ${seconds(delivered - began)}, verified after ${seconds(Date.now() - began)}\n`,
        )
      }
    } finally {
      await processes.kill()
      await server.close()
    }
  },
)

function randomFault(stage: Stage): Fault {
  const faults: readonly Fault[] = [
    { does: 'drop' },
    { does: 'stall' },
    { does: 'refuse', code: 451 },
    { does: 'refuse', code: 550 },
    { does: 'drop', kept: stage === 'end' },
    { does: 'stall', kept: stage === 'end' },
  ]
  return faults[Math.floor(Math.random() * faults.length)]!
}

/** Processes of which each registers its share. A killed one is started again, and registers the rest under other names. */
function openProcesses(args: readonly string[]) {
  const lines: string[] = []
  const snapshots: string[] = []
  const members: Member[] = Array.from({ length: SETTINGS.processes }, (_, i) => ({
    left: Array.from({ length: SETTINGS.registrations }, (_, n) => n).filter((n) => n % SETTINGS.processes === i),
    starts: 0,
  }))
  interface Member {
    left: number[]
    starts: number
    process?: ChildProcess
  }

  function start(member: Member): void {
    const start = ++member.starts
    const names = member.left.map((n) => `${n}.${start}`)
    const child = spawn(process.execPath, [PROCESS, ...args, names.join()], { stdio: ['ignore', 'pipe', 'inherit'] })
    member.process = child
    let rest = ''
    child.stdout.on('data', (chunk: Buffer) => {
      const parts = (rest + chunk.toString()).split('\n')
      rest = parts.pop()!
      lines.push(...parts)
      for (const line of parts) {
        const name = /^registered (\d+)\./.exec(line)?.[1]
        if (name !== undefined) member.left = member.left.filter((n) => n !== Number(name))
      }
    })
  }

  async function stop({ process: child }: Member): Promise<void> {
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const closed = once(child, 'close')
    child.kill('SIGKILL')
    await closed
  }

  return {
    lines,
    snapshots,
    acknowledged: () => lines.flatMap((line) => /^registered (\S+)$/.exec(line)?.[1] ?? []),
    async work() {
      for (const member of members) start(member)
    },
    /** Kills one process after another for a while, then lets them finish. Resolves the number of kills. */
    async killAtRandom(file: string): Promise<number> {
      let kills = 0
      const end = Date.now() + SETTINGS.killing
      while (Date.now() < end || members.some(({ left }) => left.length > 0)) {
        // A start takes most of the processor time: outside the long lane there are a few kills.
        await sleep((IS_LONG_LANE ? 100 : 400) + Math.random() * 500)
        if (Date.now() > end + SETTINGS.killing) continue
        const member = members[Math.floor(Math.random() * members.length)]!
        expect(member.process?.exitCode ?? null).toBeNull()
        await stop(member)
        if (kills++ % 10 === 0) snapshots.push(...(await readDatabase(file)))
        start(member)
      }
      return kills
    },
    kill: async () => void (await Promise.all(members.map(stop))),
  }
}

/** Every byte of a database on disk. */
async function readDatabase(file: string): Promise<string[]> {
  const parts = [file, `${file}-wal`, `${file}-shm`].map((part) => readFile(part, 'latin1').catch(() => ''))
  return Promise.all(parts)
}

/** 30 characters of a credential after its public prefix. */
function cutMiddle(credential: string): string {
  return credential.slice(12, 42)
}

/** Whether a text contains any of these pieces of 30 letters and digits. */
function containsAny(text: string, pieces: ReadonlySet<string>): boolean {
  for (const [run] of text.matchAll(/[A-Za-z0-9]{30,}/g)) {
    for (let i = 0; i + 30 <= run.length; i++) if (pieces.has(run.slice(i, i + 30))) return true
  }
  return false
}
