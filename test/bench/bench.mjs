import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { GROUPS } from './groups.mjs'
import { generator } from './load.mjs'
import { measureGroup } from './measure.mjs'
import { profileOf } from './profile.mjs'
import { header, lineOf } from './table.mjs'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    group: { type: 'string', multiple: true },
    profile: { type: 'string' },
  },
})
const folder = mkdtempSync(join(tmpdir(), 'platform-auth-bench-'))
const say = (text) => void process.stderr.write(`${text}\n`)
const settings = { rounds: Number(values.rounds), seconds: Number(values.seconds), folder, say }

try {
  if (values.profile) await profile(new RegExp(values.profile))
  else await compare(new RegExp(values.only))
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function compare(only) {
  say(`Load from ${generator}; Node ${process.version}; ${settings.rounds} rounds of ${settings.seconds} s.`)
  const lines = []
  for (const group of asked()) {
    const entries = group.entries.filter(({ name }, at) => at === 0 || only.test(name))
    if (entries.length < 2) continue
    say(`\n${group.title}`)
    const results = await measureGroup({ ...group, entries }, settings)
    const added = results.map((result) => lineOf(group.title, result))
    say(added.join('\n'))
    lines.push(...added)
  }
  process.stdout.write(`\n${header()}\n${lines.join('\n')}\n`)
}

async function profile(which) {
  for (const group of asked()) {
    for (const entry of group.entries.filter(({ name }) => which.test(name))) {
      process.stdout.write(`\n${group.title}: ${entry.name}\n${await profileOf(entry, settings)}\n`)
    }
  }
}

function asked() {
  return GROUPS.filter(({ name }) => !values.group || values.group.includes(name))
}
