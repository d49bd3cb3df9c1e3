import { randomUUID } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import type { ConfigurationProblem } from '../../shared/contracts/errors.js'
import { createProbeValue } from '../sql/probe-value.js'
import { findFilePath, type Sql, type SqliteConnection } from './connection.js'

/** `Store.diagnose()`. Rejects with the error of SQLite or of the file system if it rejects a write; commits nothing. */
export async function diagnose(connection: SqliteConnection): Promise<ConfigurationProblem[]> {
  const damage = await connection.single(findDamage)
  if (damage !== undefined)
    return [
      {
        problem: `The SQLite file is damaged: ${damage}`,
        fix: 'Stop the servers, keep a copy of the file and those beside it, and restore a backup.',
      },
    ]
  await connection.transaction(() => false)
  const file = await connection.single(findFilePath)
  if (file !== undefined) await writeBeside(file)
  return []
}

function findDamage(sql: Sql): string | undefined {
  const result = sql.get<{ quick_check: string }>('PRAGMA quick_check(1)')?.quick_check
  return result === 'ok' ? undefined : result
}

/** SQLite notices a full disk at COMMIT only. It needs files beside the database, in a folder that may be read-only. */
async function writeBeside(file: string): Promise<void> {
  const probe = `${file}-doctor-${randomUUID()}`
  try {
    await writeFile(probe, createProbeValue(), { flag: 'wx', mode: 0o600, flush: true })
  } finally {
    await rm(probe, { force: true })
  }
}
