import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { Application } from '../../../src/index.js'
import { freePort } from '../../support/free-port.js'
import { IS_LONG_LANE } from '../../support/long-lane.js'
import { killProcess, useSpareProcesses } from '../../support/spare-processes.js'
import { signIn, type Page, type Visitor } from './visitor.js'
import { createTemporaryFolder } from '../../support/temporary-folder.js'

/** `npm run test:long`: more of them. */
const PROGRAM = new URL('../../support/portal-process.mjs', import.meta.url)
const ROUNDS = IS_LONG_LANE ? 300 : 2
const CONTACT = 'anna@example.com'
/** The time in which the process is killed: about as long as a rotation takes, which depends on the machine. */
let killWithinMilliseconds = 30

let port: number

it(
  'loses no secret that was shown when the platform is killed during rotations (P33)',
  { timeout: 1_800_000 },
  async () => {
    const folder = await createTemporaryFolder()
    port = await freePort()
    const startSpare = useSpareProcesses(PROGRAM)
    const start = () => startSpare(join(folder, 'platform.sqlite'), String(port), CONTACT)
    let platform = await start()
    const visitor = await signIn(platform.line)
    let newest = await rotate(visitor)
    const counts = { shown: 0, notShown: 0, notMade: 0 }
    for (let round = 1; round <= ROUNDS; round++) {
      const before = await readState()
      const killAnyTime = () => sleep(Math.random() * killWithinMilliseconds).then(() => killProcess(platform.child))
      const killed = await rotate(visitor, killAnyTime).catch(() => undefined)
      platform = await start()
      const { application, rotations } = await readState()
      const made = rotations - before.rotations
      expect(killed === undefined ? [0, 1] : [1]).toContain(made)
      counts[killed !== undefined ? 'shown' : made === 1 ? 'notShown' : 'notMade'] += 1
      killWithinMilliseconds *= killed !== undefined ? 0.9 : made === 1 ? 1 : 1.1
      // If a secret was made and not shown, the one before it works until the overlap ends.
      expect(await isAccepted(application.id, killed ?? newest)).toBe(true)
      expect(application.secrets.length).toBeLessThanOrEqual(2)
      if (killed !== undefined) newest = killed
      else if (made === 1) newest = await rotate(visitor)
    }
    process.stdout.write(`${ROUNDS} kills: ${JSON.stringify(counts)}\n`)
    if (IS_LONG_LANE) expect(Math.min(...Object.values(counts))).toBeGreaterThan(0)
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
