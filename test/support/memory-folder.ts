import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { freemem } from 'node:os'
import { join } from 'node:path'

/** A file system in memory, which Linux has. */
const MEMORY = '/dev/shm'
const PREFIX = 'express-platform-auth-tests-'
/** Several times of what a run needs at any time. */
const NEEDED_BYTES = 6 * 1024 ** 3

/**
 * Lets this process and those that it starts have their temporary files in memory: creating a database on a disk takes ten
 * times as much processor time. Does nothing if TMPDIR is set, or where memory is too small or runs no programs.
 */
export function useMemoryFolder(): void {
  if (process.env['TMPDIR'] !== undefined || !isSuitable()) return
  removeLeftFolders()
  const folder = mkdtempSync(join(MEMORY, `${PREFIX}${process.pid}-`))
  // PostgreSQL runs as another user.
  chmodSync(folder, 0o711)
  process.env['TMPDIR'] = folder
  process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
}

/** Those of runs that were killed: they would keep their memory. */
function removeLeftFolders(): void {
  for (const name of readdirSync(MEMORY)) {
    const [pid] = name.startsWith(PREFIX) ? name.slice(PREFIX.length).split('-') : []
    if (pid !== undefined && !existsSync(`/proc/${pid}`)) rmSync(join(MEMORY, name), { recursive: true, force: true })
  }
}

function isSuitable(): boolean {
  try {
    const mount = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .find((line) => line.split(' ')[1] === MEMORY)
    if (mount === undefined || /\bnoexec\b/.test(mount)) return false
    const { bavail, bsize } = statfsSync(MEMORY)
    return Math.min(bavail * bsize, freemem()) >= NEEDED_BYTES
  } catch {
    return false
  }
}
