import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Application, IssuedCredentials } from '../../src/index.js'
import { IS_LONG_LANE } from '../support/long-lane.js'
import { DATABASES, type TestDatabase } from '../support/databases.js'
import { openPlatform } from '../support/platform.js'
import { startMailServer, type MailServer } from '../support/smtp.js'
import { waitUntil } from '../support/wait-until.js'
import { timeBound } from '../support/time-bound.js'

const PROCESS = fileURLToPath(new URL('stopping-process.mjs', import.meta.url))
const PAGE = fileURLToPath(new URL('../../docs/production.md', import.meta.url))

it('the process of this test stops as docs/production.md shows', async () => {
  const withoutSpaces = (text: string): string =>
    text
      .replace(/\/\/.*/g, '')
      .replace(/\s+/g, ' ')
      .replace('await pool?.end() ', '')
  const lines = /^let stopping = .*\n.*healthz.*\n|^server\.keepAliveTimeout[^]*?^process\.on.*\n/gm
  const [here, there] = await Promise.all(
    [PROCESS, PAGE].map(async (file) => (await readFile(file, 'utf8')).match(lines)?.join('')),
  )
  expect(withoutSpaces(there!)).toBe(withoutSpaces(here!))
})

/** What a process does is the same on both: without `IS_LONG_LANE` the one whose connections end, too. */
const tried = Object.entries(DATABASES).filter(([name]) => IS_LONG_LANE || name === 'PostgreSQL')
describe.each(tried)('a process on %s that gets SIGTERM under load', (_, createDatabase) => {
  let database: TestDatabase
  let remove: () => unknown
  let mail: MailServer
  let first: StoppingProcess
  let second: StoppingProcess | undefined
  /** What the first process has acknowledged. */
  const acknowledged = { registrations: [] as string[], suspensions: [] as string[], calls: new Map<string, number>() }
  const answers = new Map<number, number>()
  let signalledAt: number
  let endedAfter: number
  let mailsAtExit: number
  let isStopped = false

  beforeAll(async () => {
    database = await createDatabase({ onTestFinished: (end) => void (remove = end as typeof remove) })
    // The mail server is slow at first, so that e-mails are being sent when the signal arrives.
    mail = await startMailServer({
      onMailFrom: (_address, _session, done) => void setTimeout(done, isStopped ? 0 : 120),
    })
    first = await startStopping(database.address, mail.port)
    await load()
  })
  afterAll(async () => {
    await second?.end()
    await mail.close()
    await remove()
  })

  async function load(): Promise<void> {
    let number = 0
    const agent = new Agent({ keepAlive: true })
    const call = async (
      method: string,
      path: string,
      headers: object = {},
      body?: string,
    ): Promise<{ status: number; text: string }> => {
      const requestNumber = ++number
      const answer = await send(
        { method, path, port: first.port, agent, headers: { ...headers, 'X-Number': requestNumber } },
        body,
      )
      answers.set(requestNumber, answer.status)
      return answer
    }
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
    const json = { 'Content-Type': 'application/json' }
    const operate = async (
      what: string,
      body: object,
    ): Promise<{ application: Application; credentials: Required<IssuedCredentials> }> =>
      JSON.parse((await call('POST', `/operator/${what}`, json, JSON.stringify(body))).text)
    const customers = await Promise.all(Array.from({ length: 40 }, () => operate('create', {})))
    const token = async ({ clientId, clientSecret }: IssuedCredentials): Promise<string> => {
      const { text } = await call(
        'POST',
        '/orders/token',
        form,
        `grant_type=client_credentials&client_id=${clientId}&client_secret=${clientSecret}`,
      )
      return (JSON.parse(text) as { access_token: string }).access_token
    }
    // Each of these repeats until the server refuses the connection.
    const workers = [
      ...customers.slice(0, 6).map(({ application, credentials }) => async () => {
        const since = Date.now()
        const Authorization = `Bearer ${await token(credentials)}`
        acknowledged.calls.set(application.id, since)
        await call('GET', '/orders/items', { Authorization })
      }),
      ...customers.slice(6, 12).map(({ application, credentials }) => async () => {
        const since = Date.now()
        await call('GET', '/catalog/slow', { 'X-Api-Key': credentials.clientId })
        acknowledged.calls.set(application.id, since)
      }),
      ...['a', 'b', 'c'].map((which) => async () => {
        const name = `app-${which}${++number}`
        const { status } = await call(
          'POST',
          '/register',
          json,
          JSON.stringify({ name, contact: `${name}@customer.example`, apis: ['orders', 'catalog'] }),
        )
        if (status === 202) acknowledged.registrations.push(name)
        await sleep(20)
      }),
      async () => {
        const { application } = customers[12 + acknowledged.suspensions.length] ?? customers[12]!
        await operate('suspend', { id: application.id })
        acknowledged.suspensions.push(application.id)
        await sleep(50)
      },
    ].map(async (work) => {
      try {
        for (;;) await work()
      } catch (error) {
        if (!/ECONNRE|socket hang up|EPIPE/.test(`${String((error as NodeJS.ErrnoException).code)} ${String(error)}`))
          throw error
      }
    })
    const { registrations, suspensions, calls } = acknowledged
    const isLoaded = () => registrations.length > 5 && suspensions.length > 1 && calls.size > 6 && mail.mails.length > 0
    await waitUntil(() => isLoaded() && answers.size > 60)
    signalledAt = Date.now()
    first.process.kill('SIGTERM')
    setTimeout(() => first.process.kill('SIGTERM'), 150)
    await Promise.all(workers)
    // As a proxy does. The process leaves idle connections open for 10 seconds.
    agent.destroy()
    await first.ended
    endedAfter = Date.now() - signalledAt
    mailsAtExit = mail.mails.length
    isStopped = true
  }

  it('exits with 0 and without warnings, also after a second signal', async () => {
    const { code, complaints } = await first.ended
    expect({ code, complaints }).toEqual({ code: 0, complaints: [] })
    expect(endedAfter).toBeLessThan(timeBound(15_000))
  })

  it('answers every request that it received, without an error', async () => {
    const { seen } = await first.ended
    expect(seen.length).toBeGreaterThan(40)
    expect(seen.filter((number) => !answers.has(number))).toEqual([])
    expect(new Set(answers.values())).toEqual(new Set([200, 202]))
  })

  it('has stored every acknowledged registration and suspension, and the last use of credentials', async () => {
    const applications = await listApplications()
    const names = new Set(applications.map(({ name }) => name))
    expect(acknowledged.registrations.length).toBeGreaterThan(2)
    expect(acknowledged.registrations.filter((name) => !names.has(name))).toEqual([])
    const suspended = new Set(applications.filter(({ status }) => status === 'suspended').map(({ id }) => id))
    expect(acknowledged.suspensions.length).toBeGreaterThan(0)
    expect(acknowledged.suspensions.filter((id) => !suspended.has(id))).toEqual([])
    expect(acknowledged.calls.size).toBeGreaterThan(6)
    for (const [id, at] of acknowledged.calls) {
      const [key] = applications.find((each) => each.id === id)!.keys
      expect(key!.lastUsedAt!.getTime(), id).toBeGreaterThanOrEqual(at)
    }
  })

  it('finishes the e-mails that it is sending; the next process sends the others, each once', async () => {
    expect(mailsAtExit).toBeGreaterThan(0)
    const pending = (await listApplications()).filter(({ status }) => status === 'pending').map(({ name }) => name)
    // No e-mail was sent for a pending application.
    for (const name of pending) expect(mail.mailsTo(`${name}@customer.example`)).toEqual([])
    second = await startStopping(database.address, mail.port)
    const sentTo = (): string[] => mail.mails.map(({ recipients }) => recipients[0]!).toSorted()
    const expected = acknowledged.registrations.map((name) => `${name}@customer.example`).toSorted()
    await expect
      .poll(() => mail.mails.length, { timeout: 60_000, interval: 100 })
      .toBeGreaterThanOrEqual(expected.length)
    await second.end()
    expect(sentTo()).toEqual(expected)
    expect(mail.overlaps).toEqual([])
    expect((await listApplications()).filter(({ status }) => status === 'pending')).toEqual([])
  })

  async function listApplications(): Promise<Application[]> {
    const { auth } = openPlatform({ store: database.open(), now: Date.now })
    const { items: applications } = await auth.applications.list({ limit: 1000 })
    await auth.close()
    return applications
  }
})

interface StoppingProcess {
  readonly process: ChildProcess
  readonly port: number
  readonly ended: Promise<{ code: number | null; seen: number[]; complaints: string[] }>
  end(): Promise<void>
}

async function startStopping(database: string, mailPort: number): Promise<StoppingProcess> {
  const child = spawn(process.execPath, [PROCESS, database, String(mailPort)], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  let output = ''
  child.stdout!.setEncoding('utf8').on('data', (text: string) => void (output += text))
  const ended = once(child, 'close').then(([code]) => ({
    seen: [],
    complaints: [],
    ...(output !== '' && (JSON.parse(output) as object)),
    code: code as number | null,
  }))
  const [port] = (await once(child, 'message')) as [number]
  return {
    process: child,
    port,
    ended,
    async end() {
      child.kill()
      await ended
    },
  }
}

function send(options: object, body = ''): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', ...options }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (piece: string) => void (text += piece))
      answer.on('end', () =>
        answer.complete ? resolve({ status: answer.statusCode!, text }) : reject(new Error('cut off')),
      )
      answer.on('error', reject)
    })
    sent.on('error', reject).end(body)
  })
}
