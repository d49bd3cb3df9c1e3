import * as photostructure from '@photostructure/sqlite'
import type { SqliteDatabase } from '../../../src/stores/sqlite/index.js'

export type DatabaseConstructor = new (path: string, options?: { readBigInts?: boolean }) => SqliteDatabase

/** Every driver whose databases can be passed in on this Node, by name. */
export const drivers: ReadonlyMap<string, DatabaseConstructor> = new Map([
  ['@photostructure/sqlite', photostructure.DatabaseSync],
  ...findBuiltinDriver(),
])

/**
 * The driver that the store opens a path with. Tests must open the same file with the same driver: of two copies of SQLite
 * in one process, the one that closes a file drops the other's locks.
 */
export const defaultDriver: DatabaseConstructor =
  (Number.parseInt(process.versions.node, 10) >= 24 && drivers.get('node:sqlite')) || photostructure.DatabaseSync

function findBuiltinDriver(): [string, DatabaseConstructor][] {
  const builtin = process.getBuiltinModule('node:sqlite') as { DatabaseSync: DatabaseConstructor } | undefined
  if (!builtin) return []
  const database = new builtin.DatabaseSync(':memory:')
  // Since Node 22.16.
  const isUsable = 'isTransaction' in database
  database.close()
  return isUsable ? [['node:sqlite', builtin.DatabaseSync]] : []
}
