import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import express from 'express'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { authOf, type IssuedCredentials, type PlatformAuth } from '../../../src/index.js'
import type { StoreWith } from '../../../src/store.js'
import { sqliteStore } from '../../../src/stores/sqlite/index.js'
import { createCaller, type Caller } from '../../support/caller.js'
import { IS_LONG_LANE } from '../../support/long-lane.js'
import { openPlatform, SECRET } from '../../support/platform.js'
import { timeBound } from '../../support/time-bound.js'

const PROCESS = fileURLToPath(new URL('../../support/platform-process.mjs', import.meta.url))

/** A change made in one process must hold in every other process within this time. */
const MAX_DELAY_MS = 1000
/** How long each change took; the longest is printed. */
const delays: { readonly what: string; readonly milliseconds: number }[] = []

/** A platform in this process or in the other process. */
interface Instance {
  readonly name: string
  readonly address: string
  readonly caller: Caller
  operate(part: 'applications' | 'signingKeys', call: string, ...args: readonly unknown[]): Promise<unknown>
}

let folder: string
let child: ChildProcess
const servers: Server[] = []
const platforms: PlatformAuth[] = []
/** Two platforms in this process and one in the other. */
let instances: { readonly here: Instance; readonly beside: Instance; readonly elsewhere: Instance }

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'second-process-'))
  const file = join(folder, 'platform.sqlite')
  instances = {
    here: await openHere('here', sqliteStore(file)),
    beside: await openHere('beside', sqliteStore(file)),
    elsewhere: await openElsewhere(file),
  }
})

afterAll(async () => {
  child.kill()
  await once(child, 'close')
  for (const server of servers) server.close()
  for (const auth of platforms) await auth.close()
  await rm(folder, { recursive: true })
  const longest = delays.toSorted((a, b) => b.milliseconds - a.milliseconds)[0]
  process.stdout.write(`Of ${delays.length} changes the slowest took ${longest?.milliseconds} ms: ${longest?.what}\n`)
})

async function openHere(name: string, store: StoreWith): Promise<Instance> {
  const { auth } = openPlatform({ store, now: Date.now, rateLimits: { failedAuthentication: false } })
  platforms.push(auth)
  const app = express().use(auth.router)
  app.get('/orders/items', auth.requireBearer('orders'), (req, res) => void res.json(authOf(req)))
  app.get('/catalog/items', auth.requireApiKey('catalog'), (req, res) => void res.json(authOf(req)))
  const server = app.listen(0, '127.0.0.1')
  // A connection that is kept while the machine stands still would be reset at its next request.
  server.keepAliveTimeout = 60_000
  servers.push(server)
  await once(server, 'listening')
  await auth.ready()
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    name,
    address,
    caller: createCaller({ app: address }),
    operate(part, call, ...args) {
      const calls = { ...auth[part] } as unknown as Record<string, (...args: readonly unknown[]) => Promise<unknown>>
      return calls[call]!(...args)
    },
  }
}

async function openElsewhere(file: string): Promise<Instance> {
  child = spawn(process.execPath, [PROCESS, file, SECRET], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(child.stdout!, 'data')) as [Buffer]
  const address = `http://127.0.0.1:${line.toString().trim()}`
  return {
    name: 'elsewhere',
    address,
    caller: createCaller({ app: address }),
    async operate(part, call, ...args) {
      const response = await fetch(`${address}/control`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ part, call, args }),
      })
      if (!response.ok) throw new Error(await response.text())
      return response.json()
    },
  }
}

/** A new application and an access token, both of which every instance has seen, so that they are cached. */
async function createKnownApplication(maker: Instance) {
  const made = await maker.operate('applications', 'create', { name: 'Shop', apis: ['orders', 'catalog'] })
  const { application, credentials } = made as { application: { id: string }; credentials: IssuedCredentials }
  const accessToken = await maker.caller.accessToken('orders', credentials)
  for (const { caller } of Object.values(instances)) {
    await caller.bearer('/orders/items', accessToken).expect(200)
    await caller.key('/catalog/items', credentials.clientId).expect(200)
    await caller.token('orders', credentials).expect(200)
  }
  return { id: application.id, credentials, accessToken }
}

/** Asks an instance until it answers as it must; fails if that takes too long. */
async function waitUntilApplied(
  what: string,
  instance: Instance,
  ask: (caller: Caller) => Promise<boolean>,
  since: number,
): Promise<void> {
  for (;;) {
    const asked = performance.now()
    if (await ask(instance.caller)) {
      delays.push({ what: `${what}, ${instance.name}`, milliseconds: Math.round(asked - since) })
      expect(asked - since, `${what} applied ${instance.name}`).toBeLessThan(timeBound(MAX_DELAY_MS))
      return
    }
    if (asked - since > 2 * timeBound(MAX_DELAY_MS)) throw new Error(`${what} was not applied ${instance.name}.`)
    await sleep(10)
  }
}

/** What a change made here does elsewhere, test/fleet/changes.integration.test.ts shows on every store. */
describe.each(IS_LONG_LANE ? (['here', 'elsewhere'] as const) : (['elsewhere'] as const))(
  'a change made %s:',
  (where) => {
    it('an access token issued anywhere after revokeTokens() resolved is accepted everywhere', async () => {
      const maker = instances[where]
      const { id, credentials, accessToken } = await createKnownApplication(maker)
      const issued: string[] = []
      for (const issuer of Object.values(instances)) {
        for (let round = 0; round < 3; round++) {
          await maker.operate('applications', 'revokeTokens', id)
          // The feed may not have brought it to the issuer yet.
          const fresh = await issuer.caller.accessToken('orders', credentials)
          for (const { caller } of Object.values(instances)) await caller.bearer('/orders/items', fresh).expect(200)
          issued.push(fresh)
        }
      }
      // Once the last revocation has reached every process, earlier tokens are refused, and the last one is still accepted.
      for (const instance of Object.values(instances)) {
        const since = performance.now()
        // At the same time, so that no token's delay includes the requests with the others.
        const refusals = issued.slice(0, -1).map(async (former) => {
          const isRefused = async (caller: Caller) => (await caller.bearer('/orders/items', former)).status === 401
          await waitUntilApplied('revokeTokens()', instance, isRefused, since)
        })
        await Promise.all(refusals)
        await instance.caller.bearer('/orders/items', issued.at(-1)!).expect(200)
      }
      for (const { caller } of Object.values(instances)) await caller.bearer('/orders/items', accessToken).expect(401)
    })
  },
)

it('no request of a flood is answered with a state from before a change: at once in the same process, after a second in others', async () => {
  const makers = [instances.here, instances.elsewhere]
  const targets = await Promise.all(
    Array.from({ length: 16 }, async (_, i) => {
      const maker = makers[i % makers.length]!
      return {
        maker,
        ...(await createKnownApplication(maker)),
        changes: [{ begunAt: -Infinity, at: -Infinity, accepted: true }],
      }
    }),
  )
  const reads: {
    target: (typeof targets)[number]
    instance: Instance
    started: number
    ended: number
    accepted: boolean
  }[] = []
  const flood = new AbortController()

  async function keepAsking(instance: Instance, seed: number): Promise<void> {
    for (let i = seed; !flood.signal.aborted; i += 1) {
      const target = targets[i % targets.length]!
      const started = performance.now()
      const [path, headers] =
        i % 3 === 0
          ? ['/catalog/items', { 'X-Api-Key': target.credentials.clientId }]
          : ['/orders/items', { Authorization: `Bearer ${target.accessToken}` }]
      const response = await fetch(instance.address + path, { headers: headers as Record<string, string> })
      await response.arrayBuffer()
      reads.push({ target, instance, started, ended: performance.now(), accepted: response.status === 200 })
      if (!IS_LONG_LANE) await sleep(10)
    }
  }

  async function changeAll(call: 'suspend' | 'resume'): Promise<void> {
    for (const target of targets) {
      // Between call and answer either result is right.
      const begunAt = performance.now()
      await target.maker.operate('applications', call, target.id)
      target.changes.push({ begunAt, at: performance.now(), accepted: call === 'resume' })
      await sleep(Math.random() * 20)
    }
    await sleep(MAX_DELAY_MS + 300)
  }

  const floods = Object.values(instances).flatMap((instance, i) => [
    keepAsking(instance, i),
    keepAsking(instance, i + 5),
  ])
  await sleep(100)
  await changeAll('suspend')
  await changeAll('resume')
  flood.abort()
  await Promise.all(floods)

  const judged = { here: 0, elsewhere: 0, accepted: 0, refused: 0 }
  /** When an instance first answered with the state of a change: whatever it is asked later must have it too. */
  const applied = new Map<object, Map<Instance, number>>()
  const stale = reads.filter(({ target, instance, started, ended, accepted }) => {
    const grace = instance === target.maker ? 0 : timeBound(MAX_DELAY_MS)
    const latest = target.changes.findLast(({ at }) => at <= started)!
    const next = target.changes.find(({ at }) => at > latest.at)
    const of = applied.get(latest) ?? applied.set(latest, new Map()).get(latest)!
    if (accepted === latest.accepted && !of.has(instance)) of.set(instance, ended)
    if (started < Math.min(latest.at + grace, of.get(instance) ?? Infinity)) return false
    // The next change may have begun before its time was noted.
    if (next && next.begunAt < ended) return false
    judged[instance === target.maker ? 'here' : 'elsewhere'] += 1
    judged[accepted ? 'accepted' : 'refused'] += 1
    return accepted !== latest.accepted
  })
  expect(stale.map(({ instance, target }) => `${target.id} ${instance.name}`)).toEqual([])
  for (const [kind, count] of Object.entries(judged)) expect(count, kind).toBeGreaterThan(50)
})
