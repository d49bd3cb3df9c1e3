import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { CredentialInfo } from '../../../src/index.js'
import { createRandom, type Random } from '../../abuse/random.js'
import { IS_LONG_LANE } from '../../support/long-lane.js'
import { SECRET } from '../../support/platform.js'

const PROCESS = fileURLToPath(new URL('../../support/platform-process.mjs', import.meta.url))
/** `npm run test:long`: more of them. */
const STEPS = IS_LONG_LANE ? 400 : 8
const KILLS = IS_LONG_LANE ? 100 : 1
/** A change holds in every process after this time. */
const MAX_DELAY_MS = 1000
const APIS = ['catalog', 'weather'] as const
const PATHS = { catalog: '/catalog/items', weather: '/weather/now' } as const

/** A key that a call has given, and what must be true of it. */
interface Known {
  readonly plain: string
  readonly id: string
  readonly apis: readonly string[]
  /** Milliseconds since 1970; undefined: no end is known. */
  endsAt: number | undefined
}

let folder: string
let running: ChildProcess[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'credential-histories-'))
})
afterEach(async () => {
  for (const child of running) await kill(child)
  running = []
  await rm(folder, { recursive: true })
})

it('in two processes, never leaves more than 20 live, and no key works outside its restriction or after its end', async () => {
  const seed = Date.now()
  process.stdout.write(`seed ${seed}\n`)
  const random = createRandom(seed)
  const platforms = [await start(), await start()] as const
  const { application } = await platforms[0].operate('create', { name: 'Shop', apis: APIS })
  const known = new Map<string, Known>()
  for (let step = 0; step < STEPS; step++) {
    // Both processes at once: of two calls that cannot both be made one is refused.
    const calls = platforms.map((platform, lane) => callAtRandom(random, platform, application.id, known, lane))
    const lists = await Promise.all(calls)
    for (const keys of lists.flat()) expect(keys.length).toBeLessThanOrEqual(20)
    await expectKeys(platforms, application.id, known)
  }
}, 600_000)

it('keeps every acknowledged change of processes that are killed', async () => {
  const random = createRandom(Date.now())
  const known = new Map<string, Known>()
  let platform = await start()
  const { application } = await platform.operate('create', { name: 'Shop', apis: APIS })
  for (let round = 0; round < KILLS; round++) {
    const unanswered = new Set<string>()
    const killed = platform
    const call = async (lane: number): Promise<void> => {
      for (;;) await callAtRandom(random, killed, application.id, known, lane, unanswered)
    }
    // Rejects once the process is killed.
    const calling = Promise.allSettled([call(0), call(1)])
    await sleep(50 + random.below(250))
    await kill(killed.child)
    const failed = (await calling).flatMap((result) => (result.status === 'rejected' ? [String(result.reason)] : []))
    expect(failed).toEqual([expect.stringContaining('fetch failed'), expect.stringContaining('fetch failed')])
    platform = await start()
    await expectKeys([platform], application.id, known, unanswered)
    // What was not acknowledged may have been made.
    for (const key of unanswered) known.delete(key)
    for (const { id: key } of (await platform.operate('get', application.id)).keys)
      if (!known.has(key)) await platform.operate('endCredential', application.id, key)
  }
}, 600_000)

type Platform = Awaited<ReturnType<typeof start>>

async function start() {
  const file = join(folder, 'platform.sqlite')
  const child = spawn(process.execPath, [PROCESS, file, SECRET], { stdio: ['ignore', 'pipe', 'inherit'] })
  running.push(child)
  const [port] = (await once(child.stdout, 'data')) as [Buffer]
  const address = `http://127.0.0.1:${port.toString().trim()}`
  return {
    child,
    /** Resolves the result of a call, or `{ code }` if it was refused. */
    async operate(call: string, ...args: readonly unknown[]) {
      const response = await fetch(`${address}/control`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ part: 'applications', call, args }),
      })
      return (await response.json()) as {
        code?: string
        keys: CredentialInfo[]
        application: { id: string; keys: CredentialInfo[] }
        credential: CredentialInfo
        credentials: { clientId: string }
      }
    },
    async readStatus(api: keyof typeof PATHS, key: string): Promise<number> {
      const response = await fetch(address + PATHS[api], { headers: { 'x-api-key': key } })
      await response.arrayBuffer()
      return response.status
    },
  }
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const closed = once(child, 'close')
  child.kill('SIGKILL')
  await closed
}

/** Adds, rotates, changes or ends a key. Resolves the live keys that the call answered, or none if it was refused. */
async function callAtRandom(
  random: Random,
  platform: Platform,
  id: string,
  known: Map<string, Known>,
  lane: number,
  unanswered = new Set<string>(),
): Promise<CredentialInfo[][]> {
  const live = [...known.values()].filter(({ endsAt }) => endsAt === undefined)
  const target = live.length > 0 ? random.pick(live) : undefined
  const kind = random.below(10)
  // Two new ends of one key: the last call decides, and the test does not know which that is.
  const isOthers = kind === 6 && target !== undefined && target.id.charCodeAt(10) % 2 !== lane
  if (!target || kind < 6 || isOthers) {
    const apis = random.pick([['catalog'], ['weather'], [...APIS], undefined])
    const options = { name: random.text(8), ...(apis && { apis }) }
    const added = await platform.operate('addKey', id, options)
    if (added.code !== undefined) return expectCode(added.code, ['too_many_credentials', 'conflict'])
    const { clientId } = added.credentials
    known.set(added.credential.id, { plain: clientId, id: added.credential.id, apis: apis ?? APIS, endsAt: undefined })
    return [added.application.keys]
  }
  const before = target.endsAt
  // Until it is answered, the call may have been made or not.
  unanswered.add(target.id)
  const endsAt = kind === 6 ? Date.now() + random.below(1500) + 50 : Date.now()
  const rotate = { credential: target.id, overlap: 0 }
  const answer =
    kind === 6
      ? await platform.operate('updateCredential', id, target.id, { expiresAt: new Date(endsAt) })
      : await (kind === 7
          ? platform.operate('endCredential', id, target.id)
          : platform.operate('rotateKey', id, rotate))
  unanswered.delete(target.id)
  if (answer.code !== undefined) {
    return expectCode(answer.code, ['credential_not_found', 'invalid_state', 'invalid_argument', 'conflict'])
  }
  target.endsAt = Math.min(before ?? Infinity, target.endsAt ?? Infinity, endsAt)
  if (kind > 7) {
    const { id: newId, expiresAt } = answer.application.keys[0]!
    const inherited = expiresAt && new Date(expiresAt).getTime()
    known.set(newId, { plain: answer.credentials.clientId, id: newId, apis: target.apis, endsAt: inherited })
  }
  return [answer.keys ?? answer.application.keys]
}

function expectCode(code: string, allowed: readonly string[]): [] {
  expect(allowed).toContain(code)
  return []
}

/** In every process, after at most a second: each key works where it may, and nowhere else. */
async function expectKeys(
  platforms: readonly Platform[],
  id: string,
  known: ReadonlyMap<string, Known>,
  unanswered: ReadonlySet<string> = new Set(),
): Promise<void> {
  const checked = [...known.values()].filter((key) => !unanswered.has(key.id))
  const listed = new Set((await platforms[0]!.operate('get', id)).keys.map((key) => key.id))
  const lost = checked.filter((key) => key.endsAt === undefined && !listed.has(key.id))
  expect(lost).toEqual([])
  const recent = checked.slice(-30)
  for (const platform of platforms) {
    const read = async (): Promise<unknown> => {
      const wrong: unknown[] = []
      for (const key of recent) {
        for (const api of APIS) {
          const before = Date.now()
          const status = await platform.readStatus(api, key.plain)
          const usable = key.apis.includes(api) ? 200 : 403
          const expected = key.endsAt !== undefined && key.endsAt <= before ? 401 : usable
          const isEnding = key.endsAt !== undefined && key.endsAt > before && key.endsAt <= Date.now()
          if (status !== expected && !isEnding) wrong.push({ api, status, expected, ...key })
        }
      }
      return wrong
    }
    await expect.poll(read, { timeout: MAX_DELAY_MS * 10, interval: 50 }).toEqual([])
  }
}
