import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished } from 'vitest'
import type { Store } from '../../src/index.js'
import { memoryMailer } from '../../src/testing/index.js'
import { openPlatform } from '../support/platform.js'

const PROCESS = fileURLToPath(new URL('../support/deciding-process.mjs', import.meta.url))
const OPERATORS = ['first@example.com', 'second@example.com'] as const
const DECISIONS = ['approve', 'deny'] as const
const REASON = 'No contract.'

interface Options {
  readonly registrations: number
  /** One process is killed in the middle of every so many decisions. */
  readonly killEvery: number
}

/** What one operator was answered; undefined if the process was killed. */
type Answer = { readonly operator: string; readonly decision: 'approve' | 'deny'; readonly status: number | undefined }

/** Two operators decide about the same registrations at the same time, in two processes that are killed again and again. */
export async function decideInTwoProcesses(
  { address, store }: { readonly address: string; readonly store: Store },
  { registrations, killEvery }: Options,
): Promise<void> {
  const requests = await registerApplications(store, registrations)
  const children = await Promise.all([startProcess(address), startProcess(address)])
  const outcomes = new Set<string>()
  for (const [index, { id, links }] of requests.entries()) {
    // Each of the two is sent first half of the time.
    const order = index % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)
    const sent = order.map((at) => decide(children[(at + index) % 2]!, links[at]!, DECISIONS[at], OPERATORS[at]))
    if (index % killEvery === killEvery - 1) {
      await sleep(Math.random() * 12)
      await kill(children[index % 2]!.child)
      children[index % 2] = await startProcess(address)
    }
    const answers = await Promise.all(sent)
    // Whoever got no answer, or was told to try again, does so.
    for (const { status, decision, operator } of answers.filter(
      (each) => each.status === undefined || each.status === 503,
    )) {
      const at = OPERATORS.indexOf(operator as (typeof OPERATORS)[number])
      const again = await decide(children[0], links[at]!, decision, operator)
      expect([status, again.status === 200 || again.status === 409]).toEqual([status, true])
    }
    outcomes.add(await expectOneDecision(store, id, answers))
  }
  expect(outcomes).toEqual(new Set(['approve', 'deny']))
}

/** Exactly one decision was stored, with its e-mail, and nobody was told that another one was. Resolves it. */
async function expectOneDecision(store: Store, id: string, answers: readonly Answer[]): Promise<string> {
  const audit = await store.listAudit({ after: undefined, limit: 1000, applicationId: id })
  const decisions = audit.filter(({ type }) => type === 'application.approved' || type === 'application.deleted')
  expect(decisions).toHaveLength(1)
  const [{ type, by }] = decisions as [(typeof decisions)[0]]
  const decision = type === 'application.approved' ? 'approve' : 'deny'
  for (const { operator, decision: theirs, status } of answers) {
    if (status === 200) expect([operator, theirs]).toEqual([by?.replace('operator:', ''), decision])
  }
  const record = (await store.findApplication(id))!
  const emails = await store.listEmails({ applicationId: id, state: undefined, limit: 100 })
  if (decision === 'approve') {
    expect(record).toMatchObject({ status: 'pending', contact: CONTACT })
    expect(emails).toMatchObject([{ purpose: 'registration', state: 'due' }])
  } else {
    expect(record).toMatchObject({ status: 'deleted', name: '', contact: undefined })
    expect(emails).toMatchObject([{ purpose: 'denied', recipient: CONTACT, details: { reason: REASON } }])
  }
  return decision
}

const CONTACT = 'dev@customer.example'

/** Registrations that wait, with the tokens of the operators' links. */
async function registerApplications(store: Store, count: number) {
  const mailer = memoryMailer()
  const { auth } = openPlatform({
    store: { ...store, close: async () => undefined },
    apis: { orders: { scheme: 'oauth2' } },
    mailer,
    developersUrl: 'https://example.com/developers',
    operators: OPERATORS,
    now: Date.now,
  })
  const ids: string[] = []
  for (let index = 0; index < count; index++) {
    const { application } = await auth.applications.register({
      name: `Shop ${index}`,
      contact: CONTACT,
      apis: ['orders'],
    })
    ids.push(application.id)
  }
  await expect.poll(() => mailer.emails.length, { timeout: 60_000 }).toBe(count * OPERATORS.length)
  await auth.close()
  const tokens = mailer.emails.map(({ to, text }) => {
    const token = /#([\w-]+\.[\w-]{43})\s/.exec(text)![1]!
    const { applicationId } = JSON.parse(Buffer.from(token, 'base64url').toString().replace(/\}.*$/s, '}')) as {
      applicationId: string
    }
    return { to, token, applicationId }
  })
  return ids.map((id) => ({
    id,
    links: OPERATORS.map(
      (operator) => tokens.find(({ to, applicationId }) => to === operator && applicationId === id)!.token,
    ),
  }))
}

interface RunningProcess {
  readonly child: ChildProcess
  readonly port: string
}

async function startProcess(address: string): Promise<RunningProcess> {
  const child = spawn(process.execPath, [PROCESS, address, OPERATORS.join()], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => kill(child))
  const [port] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  return { child, port }
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const closed = once(child, 'close')
  child.kill('SIGKILL')
  await closed
}

async function decide(
  { port }: RunningProcess,
  link: string,
  decision: 'approve' | 'deny',
  operator: string,
): Promise<Answer> {
  const body = new URLSearchParams({ link, decision, ...(decision === 'deny' && { reason: REASON }) })
  const status = await fetch(`http://127.0.0.1:${port}/register/decide`, { method: 'POST', body }).then(
    (response) => response.status,
    () => undefined,
  )
  return { operator, decision, status }
}
