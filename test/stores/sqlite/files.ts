import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach } from 'vitest'
import type { StoreWith } from '../../../src/shared/contracts/store.js'
import { sqliteStore } from '../../../src/stores/sqlite/index.js'
import type { SqliteDatabase } from '../../../src/stores/sqlite/index.js'
import { defaultDriver } from './drivers.js'
import type { DatabaseConstructor } from './drivers.js'

const PROCESS = fileURLToPath(new URL('../../support/sqlite-process.mjs', import.meta.url))

/** A folder of its own for each test, with everything that is opened in it; all of it is closed and deleted afterwards. */
export function useSqliteFiles() {
  const cleanups: (() => unknown)[] = []
  let folder: string

  async function makeFolder(): Promise<void> {
    const made = await mkdtemp(join(tmpdir(), 'sqlite-store-'))
    cleanups.push(() => rm(made, { recursive: true }))
    folder = made
  }

  beforeEach(makeFolder)
  afterEach(async () => {
    for (const cleanUp of cleanups.splice(0).toReversed()) await cleanUp()
  })

  const getFile = (): string => join(folder, 'platform-auth.sqlite')

  function createStore(pathOrDatabase: string | SqliteDatabase = getFile()): StoreWith {
    const store = sqliteStore(pathOrDatabase)
    cleanups.push(() => store.close())
    return store
  }

  async function openStore(pathOrDatabase?: string | SqliteDatabase): Promise<StoreWith> {
    const store = createStore(pathOrDatabase)
    await store.open()
    return store
  }

  function openDatabase(driver: DatabaseConstructor = defaultDriver, path = getFile()): SqliteDatabase {
    const database = new driver(path)
    cleanups.push(() => database.close())
    return database
  }

  return {
    get folder(): string {
      return folder
    },
    /** The path of the test's database. */
    get file(): string {
      return getFile()
    },
    /** Replaces the folder by an empty one. */
    makeFolder,
    /** Calls back after the test, in reverse order. */
    onEnd: (cleanUp: () => unknown) => void cleanups.push(cleanUp),
    createStore,
    openStore,
    openDatabase,
  }
}

/** Runs a command of `sqlite-process.mjs` in a process of its own; resolves its output. */
export async function runSqliteProcess(file: string, ...command: readonly string[]): Promise<string> {
  return (await promisify(execFile)(process.execPath, [PROCESS, file, ...command])).stdout
}

/** Starts a command of `sqlite-process.mjs`; resolves the process after its first output. */
export async function startSqliteProcess(file: string, ...command: readonly string[]): Promise<ChildProcess> {
  const child = spawn(process.execPath, [PROCESS, file, ...command], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  return child
}

/** Kills a process, unless it has ended by itself. */
export async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}

/** The rows of a query as plain objects. */
export function readRows(database: SqliteDatabase, text: string): Record<string, unknown>[] {
  return database
    .prepare(text)
    .all()
    .map((row) => ({ ...(row as object) }))
}
