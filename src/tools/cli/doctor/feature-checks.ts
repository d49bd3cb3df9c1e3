import { PLATFORM_PARTS } from '../../../shared/contracts/platform-parts.js'
import { ConfigurationError, createPlatformAuth, memoryStore, type PlatformAuthOptions } from '../../../index.js'
import type { PlatformParts } from '../../../core/platform/core-auth.js'
import { formatDay, DAY_MS } from '../../../shared/lib/day.js'
import { findDisagreements, PROCESS_LIFETIME_MS } from '../../../core/store-client/processes.js'
import { listQueuedEmails } from '../commands/emails.js'
import { hasFeature, listPlanNames, SILENT_LOGGER } from '../target.js'
import {
  formatCount,
  MAX_LISTED,
  nameFirst,
  note,
  problem,
  toResult,
  type CheckContext,
  type CheckResult,
  findItems,
} from './finding.js'
import { formatTime } from '../format.js'
import { PROGRAM } from '../errors.js'
import type { QueuedEmail } from '../../../store.js'

/** What features find out about the services that they use, such as the mail server. Nothing is sent. */
export async function checkFeatures({ target: { options } }: CheckContext) {
  const found = await askPlatform(options!, (parts) => parts.diagnose())
  return (found ?? []).map((each) => toResult(each.isNote ? 'note' : 'problem', each))
}

/** What a platform with these options says; undefined if they are wrong, which the check of the options reports. */
async function askPlatform<Answer>(
  options: PlatformAuthOptions,
  ask: (parts: PlatformParts) => Answer | Promise<Answer>,
): Promise<Answer | undefined> {
  try {
    // Nothing is read from the store of the options: it may not answer.
    const auth = createPlatformAuth({ ...options, store: memoryStore(), background: false, logger: SILENT_LOGGER })
    const answer = await ask(Reflect.get(auth, PLATFORM_PARTS) as PlatformParts)
    await auth.close()
    return answer
  } catch (error) {
    if (error instanceof ConfigurationError) return undefined
    throw error
  }
}

export async function checkProcesses({ target: { options, store } }: CheckContext) {
  const running = (await store!.processes?.list(PROCESS_LIFETIME_MS)) ?? []
  const settings = options && (await askPlatform(options, ({ sharedSettings }) => sharedSettings))
  const compared = [...running, ...(settings ? [{ id: 'these options', settings }] : [])]
  return findDisagreements(compared).map(({ setting, values }) => {
    const sides = [...values].map(([value, ids]) => `"${value}" (${nameFirst(ids)})`)
    return note(
      `${setting} differs: ${sides.join(', ')}.`,
      'Give all processes on this store the same. While they are replaced one after another this ends by itself.',
    )
  })
}

export async function checkParts({ target, admin }: CheckContext) {
  const { options, store } = target
  const has = (name: string): boolean => hasFeature(options, name)
  const list = (state: 'due' | 'held') => listQueuedEmails(store!, { state })
  const [due, held] = await Promise.all([list('due'), list('held')])
  const lastMonth = { from: formatDay(Date.now() - 30 * DAY_MS), to: formatDay(Date.now()), limit: 1 }
  const counts = (await admin?.usage?.list(lastMonth))?.items ?? []
  const results = [
    await checkPlans(target),
    due.length > 0 &&
      !has('emails') &&
      problem(
        `${formatCount(due, 'e-mail waits', 'e-mails wait')}, and the options have no emails() to send them.`,
        'Add emails() to features, unless another server on this store has it.',
      ),
    held.length > 0 &&
      !has('registration') &&
      note(
        `${formatCount(held, 'registration waits', 'registrations wait')} for a decision, and the options have no registration() with its pages.`,
        'Decide with: apps approve ID, or apps deny ID. What has waited for 14 days is deleted.',
      ),
    counts.length > 0 &&
      !has('usage') &&
      note(
        'There are counts of the last 30 days, and the options have no usage(): this server counts nothing, and deletes no old counts.',
        'Add usage() to features, unless another server on this store has it.',
      ),
  ]
  return results.filter((result) => result !== false)
}

/** A server without `plans()` does not start on such a store, and requests of an application with an unknown plan get 500. */
async function checkPlans({ store, options }: CheckContext['target']): Promise<CheckResult | false> {
  const query = { after: undefined, limit: MAX_LISTED, api: undefined, status: undefined, plan: true } as const
  const names = listPlanNames(options)
  const unknown = (await store!.listApplications(query)).filter(
    ({ plan }) => plan !== undefined && names?.includes(plan) !== true,
  )
  const [first] = unknown
  if (!first) return false
  const have = formatCount(unknown, 'application has a plan', 'applications have plans')
  const example = `such as ${first.id} ("${first.plan}")`
  return names
    ? problem(
        `${have} that plans() does not have, ${example}: their requests get 500.`,
        'Add the plan to plans(), or give them another one: apps plan ID PLAN.',
      )
    : problem(
        `${have}, ${example}, and the options have no plans(): this server does not start.`,
        'Add plans() to features.',
      )
}

export async function checkImports({ target: { options, store } }: CheckContext) {
  const counts = Object.entries((await store?.imports?.countHashes?.()) ?? {})
  if (counts.length === 0) return []
  const formats = counts.map(([format, count]) => `${count} as ${format}`).join(', ')
  if (options && !hasFeature(options, 'imports'))
    return problem(
      `The options have no imports(), so credentials that were imported as hashes are refused with 401: ${formats}.`,
      'Add imports() from "express-platform-auth/imports" to features; imports({ hmacKey }) for HMAC-SHA-256 hashes.',
    )
  return note(
    `Not used yet, and therefore stored by the hashes of another system: ${formats}.`,
    "Each gets the platform's own hash at its first use. Ask the owners of those that remain, or rotate them.",
  )
}

/** Whether guards only report. Options of guards are in the app's code, but what they report is in the store. */
export async function checkReports({ admin, production }: CheckContext) {
  const { usage } = admin!
  if (!usage) return []
  const since = Date.now() - DAY_MS
  const { items: recent } = await findItems(usage.reportOnly, ({ lastAt }) => lastAt.getTime() > since)
  if (recent.length === 0) return []
  const last = Math.max(...recent.map(({ lastAt }) => lastAt.getTime()))
  const apis = [...new Set(recent.map(({ api }) => `"${api}"`))].join(', ')
  const create = production ? problem : note
  return create(
    `In the last 24 hours report-only guards let requests pass that they would refuse, the last at ${formatTime(last)}: API ${apis}.`,
    `${PROGRAM} report-only. Then remove reportOnly from guard, API or platform.`,
  )
}

/** An e-mail is overdue if no process has taken it for that long after it was due; servers look for due e-mails every second. */
const OVERDUE_AFTER_MS = 60_000

export async function checkEmails({ target }: CheckContext) {
  const list = (state: QueuedEmail['state']) => listQueuedEmails(target.store!, { state })
  const stopped = await list('failed')
  const failed = stopped.filter(({ purpose }) => purpose !== 'approvalRequest')
  const unread = stopped.filter(({ purpose }) => purpose === 'approvalRequest')
  const operators = [...new Set(unread.map(({ recipient }) => recipient))].join(', ')
  const due = await list('due')
  const rejected = due.filter(({ problem }) => problem !== undefined)
  const overdue = due.filter(({ dueAt, leasedUntil }) => Math.max(dueAt, leasedUntil) + OVERDUE_AFTER_MS < Date.now())
  const held = await list('held')
  return [
    ...reportEmails(failed, (count, which) =>
      problem(`${count} no longer retried: ${which}.`, `Fix the cause, then: ${PROGRAM} emails retry`),
    ),
    ...reportEmails(unread, (count, which) =>
      problem(
        `${count} not delivered to operators (${operators}), about ${which}.`,
        `Correct the address in the operators of registration(), or the mail server, then: ${PROGRAM} emails retry. Decide with: ${PROGRAM} apps approve ID, or apps deny ID`,
      ),
    ),
    ...reportEmails(overdue, (count, which) =>
      problem(
        `${count} overdue, the first since ${formatTime(overdue[0]?.dueAt)}: ${which}.`,
        'No process sends them: check that a server with emails() runs on this store.',
      ),
    ),
    ...reportEmails(rejected, (count, which) =>
      problem(
        `${count} tried and not accepted yet: ${which}.`,
        'Check the mail server and the addresses. They are retried for 72 hours.',
      ),
    ),
    ...reportEmails(held, (count, which) =>
      note(
        `${count} held until somebody approves the registration: ${which}.`,
        `${PROGRAM} apps approve ID, or apps deny ID. What has waited for 14 days is deleted.`,
      ),
    ),
  ]
}

function reportEmails(emails: readonly QueuedEmail[], say: (count: string, which: string) => ReturnType<typeof note>) {
  if (emails.length === 0) return []
  const names = emails.map(({ applicationId, problem }) => applicationId + (problem ? ` (${problem})` : ''))
  return [say(formatCount(emails, 'e-mail is', 'e-mails are'), nameFirst(names))]
}
