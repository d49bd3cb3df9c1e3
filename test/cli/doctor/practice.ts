import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, vi } from 'vitest'
import type { Finding } from '../../../src/cli/doctor/finding.js'
import type { Store } from '../../../src/index.js'
import { sqliteStore } from '../../../src/stores/sqlite/index.js'
import { CONFIG, core, site, type Site } from '../command-line.js'

/** What a doctor says to a script. */
export interface Report {
  readonly problems: number
  readonly findings: readonly Finding[]
  readonly skipped: readonly { readonly check: string; readonly lacks: string }[]
}

/** A platform for each test, and a doctor to look at it. */
export function practice() {
  /** What to do when a test is over, last first. */
  const endings: (() => unknown)[] = []
  let file = ''

  beforeEach(async () => {
    await move(await site())
  })
  afterEach(async () => {
    for (const end of endings.splice(0).toReversed()) await end()
    vi.unstubAllEnvs()
  })

  /** `platform.mjs` is about that one from now on. */
  async function move(to: Site): Promise<void> {
    file = to.file
    endings.push(to.remove)
    vi.stubEnv('CLI_FILE', file)
  }

  /** A module of options with that source. */
  async function optionsOf(source: string): Promise<readonly string[]> {
    const folder = await mkdtemp(join(tmpdir(), 'options-'))
    endings.push(() => rm(folder, { recursive: true }))
    const module = join(folder, 'options.mjs')
    await writeFile(module, `import base from ${JSON.stringify(CONFIG)}\n${source}`)
    return ['--config', module]
  }

  async function inStore<T>(work: (store: Store) => Promise<T>): Promise<T> {
    const store = sqliteStore(file)
    await store.open()
    const result = await work(store)
    await store.close()
    return result
  }

  return {
    file: () => file,
    move,
    optionsOf,
    inStore,
    atTheEnd: (end: () => unknown) => void endings.push(end),
  }
}

export async function examine(...args: readonly string[]): Promise<Report & { readonly code: number }> {
  const { code, stdout, stderr } = await core(['doctor', '--json', ...args])
  expect(stderr).toBe('')
  return { ...(JSON.parse(stdout) as Report), code }
}

/** The problems that a doctor sees, of one check. */
export async function problemsOf(check: string, ...args: readonly string[]): Promise<readonly Finding[]> {
  const { code, findings, problems } = await examine(...args)
  expect(code).toBe(problems > 0 ? 3 : 0)
  return findings.filter((found) => found.level === 'problem' && found.check === check)
}
