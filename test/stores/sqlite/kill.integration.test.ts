import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { IS_LONG_LANE } from '../../support/long-lane.js'
import { readRows, useSqliteFiles } from './files.js'

const PROCESS = fileURLToPath(new URL('../../support/sqlite-process.mjs', import.meta.url))
/** `npm run test:long`: more of them. */
const ROUNDS = IS_LONG_LANE ? 200 : 6

const files = useSqliteFiles()

it('loses no acknowledged write when processes are killed', { timeout: 240_000 }, async () => {
  const acknowledged: string[] = []
  // This process does not open the file meanwhile, so each writer recovers what the killed one left.
  for (let round = 0; round < ROUNDS; round++) {
    const writers = round % 3 === 0 ? ['a', 'b'] : ['a']
    const lines = await Promise.all(writers.map((name) => writeUntilKilled(files.file, `${round}${name}`)))
    acknowledged.push(...lines.flat())
  }
  expect(acknowledged.length).toBeGreaterThan(ROUNDS)
  await expectAllStored(acknowledged)
  expectConsistent()
})

/** Resolves what the process acknowledged between `open()` and its death. */
async function writeUntilKilled(file: string, name: string): Promise<string[]> {
  const writer = spawn(process.execPath, [PROCESS, file, 'write', name], { stdio: ['ignore', 'pipe', 'inherit'] })
  const closed = once(writer, 'close')
  let output = ''
  writer.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  await once(writer.stdout, 'data')
  await sleep(Math.random() * 200)
  writer.kill('SIGKILL')
  const [, signal] = (await closed) as [code: number | null, signal: string | null]
  expect(signal).toBe('SIGKILL')
  const completeLines = output.split('\n').slice(0, -1)
  expect(completeLines[0]).toBe('open')
  return completeLines.slice(1)
}

async function expectAllStored(acknowledged: readonly string[]): Promise<void> {
  const store = await files.openStore()
  const lost: string[] = []
  for (const line of acknowledged) {
    const [action, id = '', version] = line.split(' ')
    if (action === 'revoked') {
      if (!(await store.isAccessTokenRevoked(id))) lost.push(line)
      continue
    }
    const found = await store.findApplication(id)
    const byKey = await store.findApplicationByKey(`key of ${id} ${found?.version}`)
    const audit = await store.listAudit({ after: undefined, limit: 10, applicationId: id })
    const isStored = found && found.version >= Number(version) && found.name === `version ${found.version}`
    if (!isStored || byKey?.id !== id || audit.length !== found.version) lost.push(line)
  }
  await store.close()
  expect(lost).toEqual([])
}

/** Every transaction, acknowledged or not, left all of its rows or none. */
function expectConsistent(): void {
  const database = files.openDatabase()
  const readValue = (text: string): unknown => Object.values(readRows(database, text)[0] ?? {})[0]
  expect(readValue('PRAGMA integrity_check')).toBe('ok')
  expect(readRows(database, 'PRAGMA foreign_key_check')).toEqual([])
  const saves = readValue('SELECT sum(version) FROM platform_auth_applications')
  expect(readValue('SELECT count(*) FROM platform_auth_audit')).toBe(saves)
  const revocations = Number(readValue('SELECT count(*) FROM platform_auth_revoked_access_tokens'))
  const changes = readValue("SELECT seq FROM sqlite_sequence WHERE name = 'platform_auth_changes'")
  expect(changes).toBe(Number(saves) + revocations)
  const credentials = readValue('SELECT count(*) FROM platform_auth_credentials')
  expect(readValue('SELECT count(*) * 2 FROM platform_auth_applications')).toBe(credentials)
}
