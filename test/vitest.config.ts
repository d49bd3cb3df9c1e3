import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { configDefaults, defineConfig } from 'vitest/config'
import { useMemoryFolder } from './support/memory-folder.js'
import { SlowFilesFirst } from './support/sequencer.js'

// The name of a test file says in which lane it runs: *.test.ts is a unit test, which starts no process, needs no build and
// no PostgreSQL, and takes less than a second. `npm test` runs both of the first two, with each store and each
// version of Express.
const UNIT = 'test/**/*.test.ts'
const INTEGRATION = 'test/**/*.integration.test.ts'
const LONG = 'test/**/*.long.test.ts'

/** Integration tests that need a process for each file. */
const ISOLATED = [
  // Measures the memory of its process, and counts calls of crypto.subtle.
  'test/hot-paths.integration.test.ts',
  // Measures the memory of its process, which grows by the garbage of other files.
  'test/outages/silence.integration.test.ts',
  // Replaces modules, and loads them again.
  'test/recipes/mcp.integration.test.ts',
]

// Set by the scripts in package.json. `.ci/run` and test/support/nodes.mjs set TEST_RESULTS, a file for the results.
const { LANE, TEST_RESULTS, EXPECTED_NODE, CI, PYTHON = '/usr/bin/python3', PATH = '' } = process.env
// For test/tools/console/chromium.ts. Chromium without its window takes two thirds of the processor time.
const SHELL = '/usr/lib/chromium/chromium-headless-shell'
const CHROMIUM = (process.env['CHROMIUM'] ??= existsSync(SHELL) ? SHELL : '/usr/bin/chromium')
if (EXPECTED_NODE !== undefined && EXPECTED_NODE !== process.version) {
  throw new Error(`This is Node ${process.version}, not ${EXPECTED_NODE}.`)
}

// The long lane measures what a platform costs, with its files on a disk.
if (LANE !== 'long') useMemoryFolder()

const root = fileURLToPath(new URL('..', import.meta.url))
// For a busy machine. By default, expect.poll() waits for a second.
const timeouts = { testTimeout: 120_000, hookTimeout: 120_000, expect: { poll: { timeout: 60_000 } } }

const unit = {
  root,
  test: {
    name: 'unit',
    include: [UNIT],
    exclude: [...configDefaults.exclude, INTEGRATION, LONG],
    // The files of a worker share their modules: loading src for each file would take longer than the tests.
    isolate: false,
    pool: 'forks' as const,
    ...timeouts,
  },
}

const unavailable = LANE === undefined ? findUnavailable() : []

// Processes, not threads: the tests load native modules. As in the unit lane, the files of a worker share their modules. Unit
// tests are in the same project: another one would load all of src again in each worker.
const both = {
  root,
  test: {
    name: 'both',
    include: [UNIT],
    exclude: [...configDefaults.exclude, LONG, ...ISOLATED, ...unavailable],
    isolate: false,
    pool: 'forks' as const,
    // A larger young generation: collecting garbage took a tenth of the processor time.
    execArgv: ['--max-semi-space-size=64'],
    globalSetup: ['test/support/postgres.ts'],
    ...timeouts,
  },
}

const isolated = {
  root,
  test: {
    name: 'isolated',
    include: ISOLATED,
    exclude: [...configDefaults.exclude, ...unavailable],
    isolate: true,
    pool: 'forks' as const,
    globalSetup: ['test/support/postgres.ts'],
    ...timeouts,
  },
}

const long = {
  root,
  test: {
    ...both.test,
    name: 'long',
    // It measures memory.
    execArgv: [],
    isolate: true,
    exclude: configDefaults.exclude,
    include: [LONG, ...findTestsOfBothLanes()],
  },
}

export default defineConfig({
  root,
  test: {
    projects: LANE === 'long' ? [long] : LANE === 'unit' ? [unit] : [both, isolated],
    // For two processors. The long lane measures, so it runs one file at a time. Unit tests do not wait, and a worker loads all
    // of src; many of the others wait.
    maxWorkers: LANE === 'long' ? 1 : LANE === 'unit' ? 2 : 5,
    sequence: { sequencer: SlowFilesFirst },
    // Keeps what is compiled in node_modules, by the hash of its content: to compile src again takes two seconds of processor time.
    experimental: { fsModuleCache: true },
    reporters: TEST_RESULTS === undefined ? ['default'] : ['default', ['json', { outputFile: TEST_RESULTS }]],
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      reporter: ['text', 'text-summary'],
      reportOnFailure: true,
    },
  },
})

/** The tests that do more in the long lane, or allow less time there. */
function findTestsOfBothLanes(): string[] {
  const imports = /\/support\/(?:long-lane|time-bound)\.js'/
  return readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts') && imports.test(readFileSync(join(root, 'test', path), 'utf8')))
    .map((path) => `test/${path.replaceAll('\\', '/')}`)
}

/** Tests of programs that are not installed. CI has all of them, so that it leaves out nothing. */
function findUnavailable(): string[] {
  if (CI === 'true') return []
  const files: string[] = []
  if (!existsSync(CHROMIUM)) {
    console.log('Without the tests in Chromium: apt-get install chromium-headless-shell, or set CHROMIUM to its path.')
    files.push('test/tools/console/browser.integration.test.ts')
  }
  const folders = [...PATH.split(delimiter), '/usr/bin', '/usr/sbin', '/usr/local/bin', '/opt/homebrew/bin']
  const isInstalled = (program: string) => folders.some((folder) => existsSync(join(folder, program)))
  if (!isInstalled('nginx')) {
    console.log('Without the tests behind nginx: apt-get install nginx.')
    files.push(
      'test/recipes/access-logs-nginx.integration.test.ts',
      'test/recipes/services.integration.test.ts',
      'test/proxies/*.integration.test.ts',
      'test/tools/cli/prove/*.integration.test.ts',
    )
  }
  if (!isInstalled('haproxy')) {
    console.log('Without the tests behind HAProxy: apt-get install haproxy.')
    files.push(
      'test/proxies/*.integration.test.ts',
      'test/tools/cli/prove/*.integration.test.ts',
      'test/recipes/services.integration.test.ts',
    )
  }
  if (!isInstalled('pgbouncer')) {
    console.log('Without the tests with PgBouncer: apt-get install pgbouncer.')
    files.push('test/outages/pgbouncer.integration.test.ts', 'test/tools/cli/doctor/service-checks.integration.test.ts')
  }
  if (!isInstalled('promtool')) {
    console.log('Without the test of alerts: apt-get install prometheus.')
    files.push('test/tools/opentelemetry/alerts.integration.test.ts')
  }
  if (!isInstalled('sqlite3')) {
    console.log('Without the tests of backups: apt-get install sqlite3.')
    files.push('test/docs/restore.integration.test.ts')
  }
  if (!isInstalled('redis-server')) {
    console.log('Without the tests of outages in Redis: apt-get install redis-server.')
    files.push('test/core/rate-limits/redis-*.integration.test.ts', 'test/leaks-in-outages.integration.test.ts')
  }
  if (spawnSync(PYTHON, ['-c', 'import requests']).status !== 0) {
    console.log(
      'Without the tests of code samples: apt-get install python3-requests, or set PYTHON to a Python that has it.',
    )
    files.push('test/shared/samples/*.integration.test.ts', 'test/recipes/services.integration.test.ts')
  }
  return files
}
