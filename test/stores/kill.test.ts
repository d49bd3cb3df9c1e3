import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { sqliteStore } from '../../src/stores/sqlite/index.js'
import { driverOfPaths } from './sqlite-drivers.js'

const PROCESS = fileURLToPath(new URL('../support/sqlite-process.mjs', import.meta.url))
const ROUNDS = 24

it('what a SQLite store has acknowledged survives kill -9', { timeout: 120_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sqlite-kill-'))
  const file = join(folder, 'platform-auth.sqlite')
  const said: string[] = []
  try {
    // Nobody else has the file open, so that each writer meets what the killed one left.
    for (let round = 0; round < ROUNDS; round++) {
      const writers = round % 3 === 0 ? ['a', 'b'] : ['a']
      const lines = await Promise.all(writers.map((name) => writeUntilKilled(file, `${round}${name}`)))
      said.push(...lines.flat())
    }
    expect(said.length).toBeGreaterThan(ROUNDS)
    await expectAll(file, said)
    expectWhole(file)
  } finally {
    await rm(folder, { recursive: true })
  }
})

/** What it said between its opening and its death. */
async function writeUntilKilled(file: string, name: string): Promise<string[]> {
  const writer = spawn(process.execPath, [PROCESS, file, 'write', name], { stdio: ['ignore', 'pipe', 'inherit'] })
  const closed = once(writer, 'close')
  let lines = ''
  writer.stdout.on('data', (chunk: Buffer) => (lines += chunk.toString()))
  await once(writer.stdout, 'data')
  await sleep(Math.random() * 200)
  writer.kill('SIGKILL')
  const [, signal] = (await closed) as [code: number | null, signal: string | null]
  expect(signal).toBe('SIGKILL')
  const complete = lines.split('\n').slice(0, -1)
  expect(complete[0]).toBe('open')
  return complete.slice(1)
}

async function expectAll(file: string, said: readonly string[]): Promise<void> {
  const store = sqliteStore(file)
  await store.open()
  const lost: string[] = []
  for (const line of said) {
    const [deed, id = '', version] = line.split(' ')
    if (deed === 'revoked') {
      if (!(await store.isAccessTokenRevoked(id))) lost.push(line)
      continue
    }
    const found = await store.findApplication(id)
    const byKey = await store.findApplicationByKey(`key of ${id} ${found?.version}`)
    const audit = await store.listAudit({ after: undefined, limit: 10, applicationId: id })
    const kept = found && found.version >= Number(version) && found.name === `version ${found.version}`
    if (!kept || byKey?.id !== id || audit.length !== found.version) lost.push(line)
  }
  await store.close()
  expect(lost).toEqual([])
}

/** No transaction left a part of itself, acknowledged or not. */
function expectWhole(file: string): void {
  const database = new driverOfPaths(file)
  const one = (statement: string): unknown => Object.values(database.prepare(statement).get() as object)[0]
  expect(one('PRAGMA integrity_check')).toBe('ok')
  expect(database.prepare('PRAGMA foreign_key_check').all()).toEqual([])
  const saves = one('SELECT sum(version) FROM platform_auth_applications')
  expect(one('SELECT count(*) FROM platform_auth_audit')).toBe(saves)
  const revocations = Number(one('SELECT count(*) FROM platform_auth_revoked_access_tokens'))
  expect(one("SELECT seq FROM sqlite_sequence WHERE name = 'platform_auth_changes'")).toBe(Number(saves) + revocations)
  expect(one('SELECT count(*) * 2 FROM platform_auth_applications')).toBe(
    one('SELECT count(*) FROM platform_auth_credentials'),
  )
  database.close()
}
