import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Application, IssuedCredentials } from '../../src/index.js'
import { signIn } from '../features/portal/visitor.js'

const PARTNERS = 20
/** So many registrations are kept. */
const REGISTERED = 50

interface Issued {
  readonly application: Application
  readonly credentials: IssuedCredentials
}

/** What each round of a mixed load did, and how often. */
export type Tally = Readonly<Record<string, number>>

/**
 * A mixed load on a process of `soak-process.mjs`: clients, strangers, contacts and operators in turn, a request every `pause`
 * milliseconds.
 */
export async function startMixedLoad(baseUrl: string, pause: number) {
  const tally: Record<string, number> = {}
  const partners: { id: string; clientId: string; clientSecret: string }[] = []
  const stopping = new AbortController()
  let round = 0

  async function ask(what: string, path: string, init: RequestInit = {}): Promise<unknown> {
    // Each stranger has another address.
    const from = [10, ...randomBytes(3)].join('.')
    const headers = { 'X-Forwarded-For': from, ...(init.headers as Record<string, string>) }
    const response = await fetch(baseUrl + path, { ...init, headers })
    const text = await response.text()
    note(`${what} ${response.status}`)
    await sleep(pause)
    return text.startsWith('{') ? (JSON.parse(text) as unknown) : undefined
  }

  function note(what: string): void {
    tally[what] = (tally[what] ?? 0) + 1
  }

  async function operate<Result>(part: string, call: string, ...args: unknown[]): Promise<Result> {
    const headers = { 'Content-Type': 'application/json' }
    const body = JSON.stringify([part, call, ...args])
    return (await ask(call, '/operate', { method: 'POST', headers, body })) as Result
  }

  const form = (client: object) => ({
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'client_credentials', ...client }),
  })

  async function beClient({ clientId, clientSecret }: (typeof partners)[number]): Promise<void> {
    const credentials = { client_id: clientId, client_secret: clientSecret }
    const issued = await ask('token', '/orders/token', form(credentials))
    const { access_token: token } = issued as { access_token: string }
    for (let i = 0; i < 4; i++) {
      await ask('bearer', '/orders/items', { headers: { Authorization: `Bearer ${token}` } })
      await ask('key', '/catalog/items', { headers: { 'X-Api-Key': clientId } })
    }
  }

  async function beStranger(): Promise<void> {
    const key = `epa_key_${randomBytes(17).toString('hex')}`
    await ask('unknown key', '/catalog/items', { headers: { 'X-Api-Key': key } })
    await ask('unknown client', '/orders/token', form({ client_id: key, client_secret: 'x' }))
    await ask('no token', '/orders/items', { headers: { Authorization: `Bearer ${key}` } })
  }

  async function register(): Promise<void> {
    const body = JSON.stringify({ name: `Registered ${round}`, contact: `r${round}@example.com`, apis: ['orders'] })
    const headers = { 'Content-Type': 'application/json' }
    await ask('register', '/developers/register', { method: 'POST', headers, body })
    const { items } = await operate<{ items: readonly Application[] }>('applications', 'list', {
      name: 'Registered',
      limit: 100,
    })
    for (const { id } of items.slice(0, Math.max(0, items.length - REGISTERED)))
      await operate('applications', 'delete', id)
  }

  async function rotate(partner: (typeof partners)[number]): Promise<void> {
    for (const call of ['rotateSecret', 'rotateKey']) {
      const { credentials } = await operate<Issued>('applications', call, partner.id, { overlap: 5 })
      Object.assign(partner, credentials)
    }
    await operate('applications', 'suspend', partner.id)
    await operate('applications', 'resume', partner.id)
    await operate('usage', 'list', { from: '2026-01', to: '2099-01' })
  }

  async function beContact(): Promise<void> {
    const visitor = await signIn(JSON.parse(await linkOf('c0@example.com')) as string)
    for (const path of ['', partners[0]!.id]) note(`portal ${(await visitor.open(path)).status}`)
  }

  async function linkOf(contact: string): Promise<string> {
    const headers = { 'Content-Type': 'application/json' }
    const body = JSON.stringify(['portal', 'link', { contact }])
    return (await fetch(`${baseUrl}/operate`, { method: 'POST', headers, body })).text()
  }

  for (let i = 0; i < PARTNERS; i++) {
    const name = `Partner ${i}`
    const made = await operate<Issued>('applications', 'create', {
      name,
      contact: `c${i}@example.com`,
      apis: ['orders', 'catalog'],
    })
    partners.push({ id: made.application.id, ...made.credentials } as (typeof partners)[number])
  }

  async function run(): Promise<void> {
    for (; !stopping.signal.aborted; round++) {
      const partner = partners[round % PARTNERS]!
      await beClient(partner)
      await beStranger()
      if (round % 5 === 0) await register()
      if (round % 7 === 0) await rotate(partner)
      if (round % 11 === 0) await beContact()
      if (round % 500 === 499) await operate('signingKeys', 'rotate', { immediately: true })
    }
  }

  const running = run()
  return {
    async stop(): Promise<Tally> {
      stopping.abort()
      await running
      return tally
    },
    /** Rejects if a call of the load fails. */
    running,
  }
}
