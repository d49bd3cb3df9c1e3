import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Application } from '../../src/index.js'
import { freePort } from '../support/free-port.js'
import { IS_LONG_LANE } from '../support/long-lane.js'
import { signIn, type Page, type Visitor } from './visitor.js'

const PROCESS = fileURLToPath(new URL('../support/portal-process.mjs', import.meta.url))
/** `npm run test:long`: more of them. */
const ROUNDS = IS_LONG_LANE ? 300 : 2
const CONTACT = 'anna@example.com'

let folder: string
let port: number
let platform: ChildProcess | undefined

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'platform-auth-portal-'))
  port = await freePort()
})
afterEach(async () => {
  await kill()
  await rm(folder, { recursive: true, force: true })
})

it(
  'loses no secret that was shown when the platform is killed during rotations (P33)',
  { timeout: 600_000 },
  async () => {
    const visitor = await signIn(await start())
    let newest = await rotate(visitor)
    let shown = 1
    for (let round = 1; round <= ROUNDS; round++) {
      const killed = await rotate(visitor, () => sleep(Math.random() * 30).then(kill)).catch(() => undefined)
      await start()
      const { application, rotations } = await readState()
      shown += killed === undefined ? 0 : 1
      // If a secret was made and not shown, the one before it works until the overlap ends.
      expect(await isAccepted(application.id, killed ?? newest)).toBe(true)
      expect(application.secrets.length).toBeLessThanOrEqual(2)
      expect(rotations).toBeGreaterThanOrEqual(shown)
      expect(rotations).toBeLessThanOrEqual(2 * round)
      newest = await rotate(visitor)
      shown += 1
    }
  },
)

/** Rotates the newest secret on its page, and resolves the new one. `during` starts when the form is sent. */
async function rotate(visitor: Visitor, during?: () => Promise<void>): Promise<string> {
  const { application } = await readState()
  const form = await visitor.open(`${application.id}/credentials/${application.secrets[0]!.id}/rotate`)
  const [page] = await Promise.all([visitor.submit(form, { overlap: '86400' }), during?.()])
  return findSecret(page)
}

function findSecret({ status, text }: Page): string {
  const [secret] = /epa_sec_\w{49}/.exec(text) ?? []
  if (secret === undefined) throw new Error(`${status}: ${text}`)
  return secret
}

async function readState(): Promise<{ application: Application; rotations: number }> {
  const response = await fetch(`http://localhost:${port}/state`)
  return (await response.json()) as { application: Application; rotations: number }
}

async function isAccepted(id: string, secret: string): Promise<boolean> {
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: id, client_secret: secret })
  const response = await fetch(`http://localhost:${port}/orders/token`, { method: 'POST', body })
  await response.body?.cancel()
  return response.ok
}

/** Resolves a link that signs in. */
async function start(): Promise<string> {
  platform = spawn(process.execPath, [PROCESS, join(folder, 'platform.sqlite'), String(port), CONTACT], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const { stdout } = platform
  const ended = once(platform, 'exit').then(() => Promise.reject(new Error('The platform did not start')))
  const [line] = (await Promise.race([once(stdout!, 'data'), ended])) as [Buffer]
  ended.catch(() => undefined)
  return line.toString().trim()
}

async function kill(): Promise<void> {
  if (platform?.exitCode !== null || platform.signalCode !== null) return
  const exited = once(platform, 'exit')
  platform.kill('SIGKILL')
  await exited
}
