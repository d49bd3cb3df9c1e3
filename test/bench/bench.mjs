/**
 * `npm run bench`: processor time per request of guards and token endpoint, compared with other packages. It takes about
 * 15 minutes on two cores, 4 of them for the flood, on an otherwise idle machine. wrk and taskset are used if installed
 * (Debian: `apt-get install wrk`). A store of 1,000,000 applications (600 MB) is created in the temporary folder and kept
 * for the next run.
 *
 *   npm run bench -- --rounds 15                  number of rounds (7); --seconds: seconds per turn (1)
 *   npm run bench -- --turns 256 --rounds 200     on a busy machine: turns of 256 requests, sent by the bench itself
 *   npm run bench -- --lives 3                    starts the servers 3 times, with 3 rounds or more each; the group "starts" has 10
 *   npm run bench -- --group token --only ours    one group (see groups.mjs, and flood), some contenders (regular expression)
 *   npm run bench -- --profile 'ours, memory'     no comparison: a CPU profile of these contenders by function
 *   npm run bench -- --group flood --flood 100000 a smaller flood (1,000,000)
 */
import { execFile, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { GROUPS, LEGEND } from './groups.mjs'
import { generator } from './load.mjs'
import { measureGroup } from './measure.mjs'
import { pinned, pinThis } from './pinned.mjs'
import { profileOf } from './profile.mjs'
import { floodLine, header, lineOf, noiseLine, startUpLines } from './table.mjs'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '1' },
    turns: { type: 'string' },
    lives: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    group: { type: 'string', multiple: true, default: [...GROUPS.map(({ name }) => name), 'flood'] },
    flood: { type: 'string', default: '1000000' },
    profile: { type: 'string' },
  },
})
const folder = mkdtempSync(join(tmpdir(), 'platform-auth-bench-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
process.on('SIGINT', () => process.exit(130))
process.on('SIGTERM', () => process.exit(143))
const say = (text) => void process.stderr.write(`${text}\n`)
const turns = values.turns === undefined ? undefined : Number(values.turns)
const settings = { rounds: Number(values.rounds), seconds: Number(values.seconds), turns, folder, say }
if (turns) pinThis()
const asked = GROUPS.filter(({ name }) => values.group.includes(name))

installPeers()
if (values.profile) await profile(new RegExp(values.profile))
else await compare(new RegExp(values.only))

async function compare(only) {
  const lines = [header()]
  const load = turns ? `rounds of ${turns} requests` : `rounds of ${values.seconds} s, load from ${generator}`
  const notes = [
    `Node ${process.version}, ${cpus()[0]?.model}; ${values.rounds} ${load}; load average before it ${loadavg()[0].toFixed(2)}.`,
  ]
  for (const group of asked) {
    const bases = new Set(group.entries.map(({ base }) => base ?? group.entries[0].name))
    const entries = group.entries.filter(({ name }) => bases.has(name) || only.test(name))
    if (entries.length === bases.size) continue
    say(`\n${group.title}`)
    const results = await measureGroup({ lives: Number(values.lives), ...group, entries }, settings)
    const added = results.map((result) => lineOf(group.title, result))
    say(added.join('\n'))
    lines.push(...added)
    notes.push(noiseLine(group, results[0]), ...startUpLines(results))
  }
  if (values.group.includes('flood')) notes.push(floodLine(await flood(values.flood)))
  process.stdout.write(`\n${lines.join('\n')}\n${LEGEND}\n${notes.map((note) => `- ${note}`).join('\n')}\n`)
}

async function flood(count) {
  say(`\n${count} access tokens in one process`)
  const script = fileURLToPath(new URL('flood.mjs', import.meta.url))
  const [command, ...args] = pinned(0, [process.execPath, '--expose-gc', script, count])
  const { stdout } = await promisify(execFile)(command, args, { env: { ...process.env, NODE_ENV: 'production' } })
  return JSON.parse(stdout)
}

async function profile(which) {
  for (const group of asked) {
    for (const entry of group.entries.filter(({ name }) => which.test(name))) {
      process.stdout.write(`\n${group.title}: ${entry.name}\n${await profileOf(entry, settings)}\n`)
    }
  }
}

/** The contenders have their own package.json, because they are not dependencies of the package. */
function installPeers() {
  const here = fileURLToPath(new URL('.', import.meta.url))
  if (existsSync(join(here, 'node_modules'))) return
  const npm = ['ci', '--ignore-scripts', '--prefix', here]
  const { status } = spawnSync('npm', npm, { stdio: ['ignore', 2, 2], shell: process.platform === 'win32' })
  if (status !== 0) throw new Error(`npm ${npm.join(' ')} ended with ${status}.`)
}
