/**
 * `npm run test:nodes`: runs `npm test` on every supported version of Node, which npx downloads. Arguments name other
 * versions: `npm run test:nodes -- 22 24.1.0`.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const requested = process.argv.slice(2)
const specs = requested.length > 0 ? requested : ['20.19.0', '20.20.2', '22.12.0', '22', '24', '26']
const scratch = await mkdtemp(join(tmpdir(), 'nodes-'))
try {
  for (const spec of specs) {
    const started = Date.now()
    const { passed, totals } = await runSuite(spec)
    const seconds = Math.round((Date.now() - started) / 1000)
    process.stdout.write(`${passed ? 'ok    ' : 'FAILED'} ${totals}, ${seconds} s\n`)
    if (!passed) process.exitCode = 1
  }
} finally {
  await rm(scratch, { recursive: true, force: true })
}

/** @param {string} spec a version, or its first numbers for the newest that begins with them */
async function runSuite(spec) {
  const query = ['-y', '-p', `node@${spec}`, '--', 'node', '-p', 'process.execPath + " " + process.version']
  const answer = await run('npx', query, process.env)
  const [node = '', version = ''] = answer.stdout.trim().split(' ')
  if (answer.failed || !`${version}.`.startsWith(`v${spec}.`)) {
    return { passed: false, totals: `Node ${spec}: npx installed ${version || 'nothing'}. ${answer.stderr.trim()}` }
  }

  // First on PATH, so that test processes that start "node" get the same version. vitest.config.ts checks EXPECTED_NODE.
  const env = { ...process.env, PATH: dirname(node) + delimiter + process.env.PATH, EXPECTED_NODE: version }
  const build = await run(node, ['.build/build.mjs'], env)
  if (build.failed) return { passed: false, totals: `Node ${version}: the build failed. ${build.stderr}` }
  const results = join(scratch, `${version}.json`)
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts']
  const tests = await run(node, vitest, { ...env, TEST_RESULTS: results })
  const json = await readFile(results, 'utf8').catch(() => '{}')
  const { numPassedTests = 0, numFailedTests = 0, numPendingTests = 0, numTodoTests = 0 } = JSON.parse(json)
  const passed = !tests.failed && numPassedTests > 0
  if (!passed) process.stdout.write(tests.stdout + tests.stderr)
  const skipped = numPendingTests + numTodoTests
  return { passed, totals: `Node ${version}: ${numPassedTests} passed, ${numFailedTests} failed, ${skipped} skipped` }
}

/** @param {string} file @param {string[]} args @param {NodeJS.ProcessEnv} env */
function run(file, args, env) {
  return new Promise((resolve) => {
    execFile(file, args, { cwd: root, env, maxBuffer: 2 ** 28 }, (error, stdout, stderr) =>
      resolve({ failed: error !== null, stdout, stderr }),
    )
  })
}
