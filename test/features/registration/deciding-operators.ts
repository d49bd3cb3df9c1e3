import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { StoreWith } from '../../../src/store.js'
import { memoryMailer } from '../../../src/tools/testing/index.js'
import { openPlatform } from '../../support/platform.js'
import { killProcess, useSpareProcesses, type StartedProcess } from '../../support/spare-processes.js'

const PROGRAM = new URL('../../support/deciding-process.mjs', import.meta.url)
const OPERATORS: readonly [string, string] = ['first@example.com', 'second@example.com']
const DECISIONS = ['approve', 'deny'] as const
const REASON = 'No contract.'

interface Options {
  readonly kills: number
  /** How many registrations are decided about at the same time: a process is killed in the middle of these decisions. */
  readonly registrationsPerKill: number
}

/** What one operator was answered; undefined if the process was killed. */
type Answer = { readonly operator: string; readonly decision: 'approve' | 'deny'; readonly status: number | undefined }

interface WaitingRegistration {
  readonly id: string
  /** The token of each operator's link. */
  readonly links: readonly string[]
}

/** Two operators decide about the same registrations at the same time, in two processes that are killed again and again. */
export async function decideInTwoProcesses(
  { address, store }: { readonly address: string; readonly store: StoreWith },
  { kills, registrationsPerKill }: Options,
): Promise<void> {
  const registrations = await registerApplications(store, kills * registrationsPerKill)
  const startSpare = useSpareProcesses(PROGRAM)
  const start = (): Promise<StartedProcess> => startSpare(address, OPERATORS.join())
  const processes = [await start(), await start()]
  // How long the last two decisions took: a process is killed at any moment of them.
  let milliseconds = 30
  const counts = { approve: 0, deny: 0, unanswered: 0 }

  async function decideTwice({ id, links }: WaitingRegistration, index: number): Promise<void> {
    // Each of the two is sent first half of the time.
    const order = index % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)
    const began = performance.now()
    const answers = await Promise.all(
      order.map((at) => decide(processes[(at + (index >> 1)) % 2]!, links[at]!, DECISIONS[at], OPERATORS[at])),
    )
    milliseconds = performance.now() - began
    await restarted
    // Whoever got no answer, or was told to try again, does so.
    for (const { status, decision, operator } of answers.filter(
      ({ status }) => status === undefined || status === 503,
    )) {
      const again = await decide(processes[0]!, links[OPERATORS.indexOf(operator)]!, decision, operator)
      expect([status, again.status === 200 || again.status === 409]).toEqual([status, true])
      counts.unanswered += 1
    }
    counts[await expectOneDecision(store, id, answers)] += 1
  }

  let restarted: Promise<void>
  async function killOne(which: number): Promise<void> {
    await sleep(Math.random() * milliseconds)
    await killProcess(processes[which]!.child)
    processes[which] = await start()
  }
  for (let kill = 0; kill < kills; kill++) {
    const first = kill * registrationsPerKill
    restarted = killOne(kill % 2)
    const decided = registrations
      .slice(first, first + registrationsPerKill)
      .map((each, at) => decideTwice(each, first + at))
    await Promise.all([restarted, ...decided])
  }
  process.stdout.write(`${kills} kills: ${JSON.stringify(counts)}\n`)
  expect(Math.min(counts.approve, counts.deny)).toBeGreaterThan(0)
}

/** Exactly one decision was stored, with its e-mail, and nobody was told that another one was. Resolves it. */
async function expectOneDecision(
  store: StoreWith,
  id: string,
  answers: readonly Answer[],
): Promise<Answer['decision']> {
  const audit = await store.listAudit({ after: undefined, limit: 1000, applicationId: id })
  const decisions = audit.filter(({ type }) => type === 'application.approved' || type === 'application.deleted')
  expect(decisions).toHaveLength(1)
  const [{ type, by }] = decisions as [(typeof decisions)[0]]
  const decision = type === 'application.approved' ? 'approve' : 'deny'
  for (const { operator, decision: theirs, status } of answers) {
    if (status === 200) expect([operator, theirs]).toEqual([by?.replace('operator:', ''), decision])
  }
  const record = (await store.findApplication(id))!
  const emails = await store.emails.list({ applicationId: id, state: undefined, limit: 100 })
  if (decision === 'approve') {
    expect(record).toMatchObject({ status: 'pending', contact: CONTACT })
    expect(emails).toMatchObject([{ purpose: 'registration', state: 'due' }])
  } else {
    expect(record).toMatchObject({ status: 'deleted', name: '', contact: undefined })
    expect(emails).toMatchObject([{ purpose: 'rejected', recipient: CONTACT, details: { reason: REASON } }])
  }
  return decision
}

const CONTACT = 'dev@customer.example'

/** Registrations that wait, with the tokens of the operators' links. */
async function registerApplications(store: StoreWith, count: number): Promise<WaitingRegistration[]> {
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
    const { application } = await auth.registration.register({
      name: `Shop ${index}`,
      contact: CONTACT,
      apis: ['orders'],
    })
    ids.push(application.id)
  }
  await expect.poll(() => mailer.emails.length, { timeout: 300_000 }).toBe(count * OPERATORS.length)
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

async function decide(
  { line: port }: StartedProcess,
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
