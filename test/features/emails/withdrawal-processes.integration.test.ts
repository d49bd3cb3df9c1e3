import { spawn, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Application, PlatformAuth } from '../../../src/index.js'
import { sqliteStore } from '../../../src/stores/sqlite/index.js'
import { openProvider, POLL_OPTIONS, readMailedCredentials } from '../../core/applications/applicant.js'
import { killProcess } from '../../support/kill-process.js'
import { startMailServer, type MailServer, type Stage } from '../../support/smtp.js'
import { createTemporaryFolder } from '../../support/temporary-folder.js'

const PROCESS = fileURLToPath(new URL('../../support/mailing-process.mjs', import.meta.url))

/** Longer than a busy machine needs for what happens while the mail server is silent. */
const SMTP_TIMEOUT_MS = 8000

/** A process that registers applications of these names and sends e-mails. Its clock runs `speed` times as fast as the real one. */
function startSender(file: string, { port }: MailServer, speed: number, ...names: readonly string[]): ChildProcess {
  const args = [file, String(port), String(SMTP_TIMEOUT_MS), String(Date.now()), String(speed), names.join()]
  const child = spawn(process.execPath, [PROCESS, ...args], { stdio: ['ignore', 'ignore', 'inherit'] })
  onTestFinished(() => killProcess(child))
  return child
}

/** What an operator does beside the process that sends: it has no mailer. */
async function openOperator() {
  const folder = await createTemporaryFolder()
  const server = await startMailServer()
  onTestFinished(() => server.close())
  const file = join(folder, 'platform.sqlite')
  const operator = openProvider({ onTestFinished }, { store: sqliteStore(file), now: Date.now })
  await operator.auth.ready()
  return { file, server, operator }
}

async function findRegistered({ applications }: PlatformAuth, name: string): Promise<Application | undefined> {
  return (await applications.list()).items.find((application) => application.name === `App ${name}`)
}

/** The stages at which another process is sending an e-mail when the operator calls. At the end, the server has all of it. */
const STAGES: readonly Stage[] = ['RCPT', 'content', 'end']

describe('a rotation while another process is sending an e-mail', () => {
  it.each([
    ['is killed', true],
    ['goes on', false],
  ])('decides, whether that process %s', async (_, isKilled) => {
    const { file, server, operator } = await openOperator()
    const { auth } = operator
    const reached = new Set<Stage>()
    server.fault = (stage, recipient) => {
      if (recipient !== `${stage}@customer.example`) return undefined
      reached.add(stage)
      return { does: 'stall', kept: stage === 'end' }
    }
    const sender = startSender(file, server, 1, ...STAGES)
    await expect.poll(() => reached.size, POLL_OPTIONS).toBe(STAGES.length)

    const rotated = []
    for (const name of STAGES) {
      const { id } = (await findRegistered(auth, name))!
      const key = await auth.applications.rotateKey(id, { overlap: 0 })
      const secret = await auth.applications.rotateSecret(id, { overlap: 0 })
      rotated.push({ id, ...key.credentials, ...secret.credentials })
    }
    if (isKilled) await killProcess(sender)
    server.fault = undefined
    // Another process takes over, for which the lease of the first one has ended after a moment.
    startSender(file, server, 60, 'later')
    await expect.poll(() => server.mailsTo('later@customer.example').length, POLL_OPTIONS).toBe(1)
    const queued = { applicationId: undefined, state: undefined, limit: 10 }
    await expect.poll(() => operator.store.emails.list(queued), POLL_OPTIONS).toEqual([])
    for (const { id, clientId, clientSecret } of rotated) {
      expect(await operator.tokenStatus({ clientId, clientSecret })).toBe(200)
      const { keys, secrets } = await operator.findRecord(id)
      expect([keys.length, secrets.length]).toEqual([1, 1])
    }
    for (const mail of STAGES.flatMap((stage) => server.mailsTo(`${stage}@customer.example`))) {
      const received = await readMailedCredentials(mail)
      expect(await operator.tokenStatus(received)).toBe(401)
      expect(await operator.keyStatus(received)).toBe(401)
    }
  })
})
