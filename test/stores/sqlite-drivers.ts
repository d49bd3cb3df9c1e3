import * as photostructure from '@photostructure/sqlite'
import type { SqliteDatabase } from '../../src/stores/sqlite/index.js'

export type DatabaseConstructor = new (path: string, options?: { readBigInts?: boolean }) => SqliteDatabase

/** Every driver that can be handed in on this Node, by name. */
export const drivers: ReadonlyMap<string, DatabaseConstructor> = new Map([
  ['@photostructure/sqlite', photostructure.DatabaseSync],
  ...builtinDriver(),
])

/** The one that a path is opened with. Two copies of SQLite in one process must not open one
 * file: the one that closes it drops the locks of the other. */
export const driverOfPaths: DatabaseConstructor =
  (Number.parseInt(process.versions.node, 10) >= 24 && drivers.get('node:sqlite')) || photostructure.DatabaseSync

function builtinDriver(): [string, DatabaseConstructor][] {
  const builtin = process.getBuiltinModule('node:sqlite') as { DatabaseSync: DatabaseConstructor } | undefined
  if (!builtin) return []
  const database = new builtin.DatabaseSync(':memory:')
  // It has this since Node 22.16.
  const fits = 'isTransaction' in database
  database.close()
  return fits ? [['node:sqlite', builtin.DatabaseSync]] : []
}
