import { closeSync, fsyncSync, lstatSync, openSync, renameSync, rmSync } from 'node:fs'
import { createPrivateFile, type OpenSqliteFile } from './driver.js'

/** A copy of a SQLite file as it was before a migration. The three calls are made under the write lock of the file. */
export type FileBackup = ReturnType<typeof createFileBackup>

/** The write lock makes the copy exact, and only the process that migrates makes one. */
export function createFileBackup(openFile: OpenSqliteFile) {
  let current: { readonly finalName: string; readonly path: string } | undefined

  function discard(): void {
    if (current) deleteDatabase(current.path)
    current = undefined
  }

  return {
    create(file: string, schema: number): void {
      const finalName = `${file}.before-schema-${schema}`
      const path = `${finalName}.partial`
      // A process that was killed while it copied may have left one.
      deleteDatabase(path)
      // Somebody else's file, or a link, would hand them the copy: in a folder that others may write to, such as /tmp.
      if (!createPrivateFile(path)) throw new Error(`The copy ${path} was created by another process.`)
      current = { finalName, path }
      copyDatabase(openFile, file, path)
    },
    /** Gives the copy its final name, `<file>.before-schema-<schema>`, and returns it; undefined if there is no copy. */
    keep(): string | undefined {
      if (!current) return undefined
      // VACUUM INTO does not sync its file to disk. A file with the final name must be complete, whenever the machine fails.
      syncFile(current.path)
      const path = findFreeName(current.finalName)
      renameSync(current.path, path)
      current = { ...current, path }
      return path
    },
    discard,
  }
}

/** SQLite would apply a journal that is left beside the file to the next copy. */
function deleteDatabase(path: string): void {
  for (const name of [path, `${path}-journal`]) rmSync(name, { force: true })
}

/** Copies on a connection of its own, because VACUUM cannot run in the transaction that holds the write lock. */
function copyDatabase(openFile: OpenSqliteFile, from: string, to: string): void {
  const source = openFile(from)
  try {
    source.prepare('VACUUM INTO ?').run(to)
  } finally {
    source.close()
  }
}

/** The first name that no earlier copy has. It stays free, because only the holder of the write lock makes copies. */
function findFreeName(name: string): string {
  for (let i = 1; ; i++) {
    const path = i === 1 ? name : `${name}.${i}`
    if (!lstatSync(path, { throwIfNoEntry: false })) return path
  }
}

function syncFile(path: string): void {
  const descriptor = openSync(path, 'r+')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
