import { ConfigurationError, describeWithFix, toSentence } from '../../shared/contracts/errors.js'
import type { Logger } from '../../shared/contracts/logger.js'
import type { Store } from '../../shared/contracts/store.js'

/** Several changes are looked at together, and `health()` knows it within a second. */
const CHECK_DELAY_MS = 200
const FIX = 'Add plans() from "express-platform-auth/plans" to the option features, as other processes have it.'

/** For a platform that limits nothing by plans: it must not let requests pass that other processes refuse. */
export function createPlanCheck(options: {
  readonly store: Pick<Store, 'listApplications'>
  readonly logger: Pick<Logger, 'error'>
}) {
  const { store, logger } = options
  let found: string | undefined
  let timer: NodeJS.Timeout | undefined
  let closed = false

  async function find(): Promise<string | undefined> {
    const query = { after: undefined, limit: 1, api: undefined, status: undefined, plan: true } as const
    const [application] = await store.listApplications(query)
    // A store that does not know this filter lists any application.
    if (application?.plan === undefined) return undefined
    return `Application ${application.id} has the plan "${application.plan}", and nothing limits its requests in this process`
  }

  async function checkAgain(): Promise<void> {
    timer = undefined
    try {
      const former = found
      found = await find()
      if (found !== undefined && former === undefined) logger.error(describeWithFix({ problem: found, fix: FIX }))
    } catch {
      // The store client reports outages. Another change, or the next start, finds it.
    }
  }

  return {
    /** Rejects with `ConfigurationError` if an application has a plan. */
    async check(): Promise<void> {
      const problem = await find()
      if (problem !== undefined)
        throw new ConfigurationError({ option: 'features', problem: `lacks plans(). ${problem}`, fix: FIX })
    },
    /** An application has changed: whether one has a plan now is found out soon. */
    noteChange(): void {
      if (!closed) timer ??= setTimeout(() => void checkAgain(), CHECK_DELAY_MS).unref()
    },
    close(): void {
      closed = true
      clearTimeout(timer)
    },
    problem: (): string | undefined => found && toSentence(found),
  }
}
