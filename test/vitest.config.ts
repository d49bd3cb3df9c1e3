import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { configDefaults, defineConfig } from 'vitest/config'

// .ci/run and test/support/nodes.mjs want the results in a file; the latter also says which Node this has to be.
const { EXPECTED_NODE, TEST_RESULTS } = process.env
if (EXPECTED_NODE !== undefined && EXPECTED_NODE !== process.version) {
  throw new Error(`This is Node ${process.version}, not ${EXPECTED_NODE}.`)
}

// The console is proved in jsdom everywhere; in a real browser where there is one, which in CI there must be.
const { CI, CHROMIUM = '/usr/bin/chromium' } = process.env
const withoutBrowser = CI !== 'true' && !existsSync(CHROMIUM)
if (withoutBrowser) {
  console.log(
    'The tests in a real browser are left out: they need Chromium (apt-get install chromium, or CHROMIUM=path).',
  )
}

// Limits are counted in ioredis-mock where there is no Redis; several processes and outages want a real one.
const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/bin', '/usr/local/bin', '/opt/homebrew/bin']
const withoutRedis = CI !== 'true' && !folders.some((folder) => existsSync(join(folder, 'redis-server')))
if (withoutRedis) {
  console.log(
    'The tests of limits in a real Redis are left out: they need redis-server (apt-get install redis-server).',
  )
}
// What takes minutes: files named *.long.test.ts, and those that do more when LONG is set. `npm run test:long` runs these alone.
const LONG = 'test/**/*.long.test.ts'
const long = process.env['LONG'] === '1'

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    include: long ? [LONG, 'test/credential-email/worker-faults.test.ts'] : ['test/**/*.test.ts'],
    exclude: [
      ...configDefaults.exclude,
      ...(long ? [] : [LONG]),
      ...(withoutBrowser ? ['test/console/browser.test.ts'] : []),
      ...(withoutRedis ? ['test/rate-limits/redis-outage.test.ts', 'test/rate-limits/redis-processes.test.ts'] : []),
    ],
    // Tests kill processes, open native databases and load packages twice: a process per file, not a thread.
    pool: 'forks',
    // Much of their time is waiting; what is measured must not wait for others.
    maxWorkers: long ? 1 : 2,
    globalSetup: ['test/support/postgres.ts'],
    testTimeout: 20_000,
    hookTimeout: 60_000,
    reporters: TEST_RESULTS === undefined ? ['default'] : ['default', ['json', { outputFile: TEST_RESULTS }]],
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      reporter: ['text', 'text-summary'],
      reportOnFailure: true,
      // thresholds: { lines: 95, branches: 95 },
    },
  },
})
