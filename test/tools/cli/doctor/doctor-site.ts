import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, vi } from 'vitest'
import type { Finding } from '../../../../src/tools/cli/doctor/finding.js'
import type { StoreWith } from '../../../../src/store.js'
import { createTemporaryFolder } from '../../../support/temporary-folder.js'
import { sqliteStore } from '../../../../src/stores/sqlite/index.js'
import { CONFIG, createSite, runInProcess, type Site } from '../command-line.js'

/** The JSON document of `doctor`. */
export interface Report {
  readonly problems: number
  readonly findings: readonly Finding[]
  readonly skipped: readonly { readonly check: string; readonly requires: string }[]
}

/** A site for each test, which `platform.mjs` uses. */
export function useDoctorSite() {
  let file = ''

  beforeEach(async () => {
    await switchTo(await createSite())
  })
  afterEach(() => void vi.unstubAllEnvs())

  /** Makes `platform.mjs` use another site. */
  async function switchTo(site: Site): Promise<void> {
    file = site.file
    vi.stubEnv('CLI_FILE', file)
  }

  /** Writes a module of options, which can use the function `base` of `platform.mjs`; resolves the arguments for it. */
  async function writeConfig(source: string): Promise<readonly string[]> {
    const module = join(await createTemporaryFolder(), 'options.mjs')
    await writeFile(module, `import base from ${JSON.stringify(CONFIG)}\n${source}`)
    return ['--config', module]
  }

  async function withStore<Result>(work: (store: StoreWith) => Promise<Result>): Promise<Result> {
    const store = sqliteStore(file)
    await store.open()
    const result = await work(store)
    await store.close()
    return result
  }

  return { getFile: () => file, switchTo, writeConfig, withStore }
}

export async function runDoctor(...args: readonly string[]): Promise<Report & { readonly code: number }> {
  const { code, stdout, stderr } = await runInProcess(['doctor', '--json', ...args])
  expect(stderr).toBe('')
  return { ...(JSON.parse(stdout) as Report), code }
}

/** What one check finds. */
export async function find(check: string, args: readonly string[]): Promise<readonly Finding[]> {
  return (await runDoctor(...args)).findings.filter((finding) => finding.check === check)
}

/** The problems that one check finds. */
export async function findProblems(check: string, ...args: readonly string[]): Promise<readonly Finding[]> {
  const { code, findings, problems } = await runDoctor(...args)
  expect(code).toBe(problems > 0 ? 3 : 0)
  return findings.filter((finding) => finding.level === 'problem' && finding.check === check)
}

/** Every row of every table. */
export async function readTables(file: string): Promise<Record<string, unknown>> {
  const { DatabaseSync } = await import('@photostructure/sqlite')
  const database = new DatabaseSync(file)
  const tables = database.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).all() as { name: string }[]
  const rows = tables.map(({ name }) => [name, database.prepare(`SELECT * FROM ${name}`).all()])
  database.close()
  return Object.fromEntries(rows) as Record<string, unknown>
}
