import { PLATFORM_PARTS } from '../../contracts/platform-parts.js'
import {
  ConfigurationError,
  createPlatformAuth,
  memoryStore,
  type PlatformAuthOptions,
  type Store,
} from '../../index.js'
import type { PlatformParts } from '../../platform/core-auth.js'
import { formatDay, DAY_MS } from '../../lib/day.js'
import { listQueuedEmails } from '../commands/emails.js'
import { hasFeature, listPlanNames, SILENT_LOGGER } from '../target.js'
import { describeCount, MAX_LISTED, note, problem, requireConfig, requireStore, toFinding } from './finding.js'
import type { Check, CheckResult } from './finding.js'

/** What features find out about the services that they use, such as the mail server. Nothing is sent. */
export const featuresCheck: Check = {
  name: 'features',
  findMissing: requireConfig,
  async run({ target: { options } }) {
    try {
      // Nothing is read from the store of the options: it may not answer.
      const auth = createPlatformAuth({ ...options!, store: memoryStore(), background: false, logger: SILENT_LOGGER })
      const parts = Reflect.get(auth, PLATFORM_PARTS) as PlatformParts
      const found = await parts.diagnose()
      await auth.close()
      return found.map((each) => toFinding(each.isNote ? 'note' : 'problem', each))
    } catch (error) {
      // The check of the options reports it.
      if (error instanceof ConfigurationError) return []
      throw error
    }
  },
}

/** What is stored for a feature that the options do not give: it waits, or is counted no more. */
export const storedPartsCheck: Check = {
  name: 'stored without a feature',
  findMissing: (context) => requireConfig(context) ?? requireStore(context),
  async run({ target: { options, store }, admin }) {
    const has = (name: string): boolean => hasFeature(options, name)
    const [due, held] = await Promise.all([
      listQueuedEmails(store!, { state: 'due' }),
      listQueuedEmails(store!, { state: 'held' }),
    ])
    const lastMonth = { from: formatDay(Date.now() - 30 * DAY_MS), to: formatDay(Date.now()), limit: 1 }
    const counts = (await admin?.usage?.list(lastMonth))?.items ?? []
    const results: (CheckResult | false)[] = [
      ...(await checkPlans(store!, options)),
      due.length > 0 &&
        !has('emails') &&
        problem(
          `${describeCount(due, 'e-mail waits', 'e-mails wait')}, and the options have no emails() to send them.`,
          'Add emails() to features, unless another server on this store has it.',
        ),
      held.length > 0 &&
        !has('registration') &&
        note(
          `${describeCount(held, 'registration waits', 'registrations wait')} for a decision, and the options have no registration() with its pages.`,
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
  },
}

/** A server without `plans()` does not start on such a store, and requests of an application with an unknown plan get 500. */
async function checkPlans(store: Store, options: PlatformAuthOptions | undefined): Promise<CheckResult[]> {
  const query = { after: undefined, limit: MAX_LISTED, api: undefined, status: undefined, plan: true } as const
  const names = listPlanNames(options)
  const unknown = (await store.listApplications(query)).filter(
    ({ plan }) => plan !== undefined && names?.includes(plan) !== true,
  )
  const [first] = unknown
  if (!first) return []
  const { id, plan } = first
  return [
    names
      ? problem(
          `${describeCount(unknown, 'application has a plan', 'applications have plans')} that plans() does not have, such as ${id} ("${plan}"): their requests get 500.`,
          'Add the plan to plans(), or give them another one: apps plan ID PLAN.',
        )
      : problem(
          `${describeCount(unknown, 'application has a plan', 'applications have plans')}, such as ${id} ("${plan}"), and the options have no plans(): this server does not start.`,
          'Add plans() to features.',
        ),
  ]
}
