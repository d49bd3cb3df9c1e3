import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Files that take long although they are short. Without the durations of an earlier run, as in CI, Vitest starts the largest
 * files first, so a run would end with one of these on one processor.
 */
const SLOW_FILES = [
  'test/abuse/slow-clients.integration.test.ts',
  'test/tools/cli/main.integration.test.ts',
  'test/tools/cli/prove/prove.integration.test.ts',
  'test/tools/cli/running-server.integration.test.ts',
  'test/tools/console/browser.integration.test.ts',
  'test/tools/console/jsdom.integration.test.ts',
  'test/features/emails/attempt.integration.test.ts',
  'test/features/emails/changes.integration.test.ts',
  'test/features/emails/worker.integration.test.ts',
  'test/features/plans/redis.integration.test.ts',
  'test/fleet/outages.integration.test.ts',
  'test/fleet/settings.integration.test.ts',
  'test/fleet/signing-keys.integration.test.ts',
  'test/core/applications/second-process.integration.test.ts',
  'test/core/http/refused-upload.integration.test.ts',
  'test/journeys/example-app-registration.integration.test.ts',
  'test/journeys/example-app-restart.integration.test.ts',
  'test/features/emails/smtp.integration.test.ts',
  'test/outages/known-callers.integration.test.ts',
  'test/outages/postgres.integration.test.ts',
  'test/package/declarations.integration.test.ts',
  'test/package/package.integration.test.ts',
  'test/package/typescript.integration.test.ts',
  'test/proxies/prove.integration.test.ts',
  'test/stores/postgres/transactions.integration.test.ts',
  'test/tools/testing/secured/correct-apps.test.ts',
  'test/tools/testing/secured/mistakes.integration.test.ts',
]

/** Starts the slow files of each project first. */
export class SlowFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const missing = SLOW_FILES.filter((path) => !existsSync(join(this.ctx.config.root, path)))
    if (missing.length > 0)
      throw new Error(`test/support/sequencer.ts names files that do not exist: ${missing.join(', ')}`)
    // oxlint-disable-next-line unicorn/no-array-sort -- It is the method of Vitest.
    const sorted = await super.sort(files)
    const isSlow = ({ moduleId }: TestSpecification) => SLOW_FILES.some((path) => moduleId.endsWith(`/${path}`))
    return [...new Set(sorted.map(({ project }) => project))].flatMap((project) => {
      const own = sorted.filter((file) => file.project === project)
      return [...own.filter(isSlow), ...own.filter((file) => !isSlow(file))]
    })
  }
}
