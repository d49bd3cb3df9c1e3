import { stat } from 'node:fs/promises'
import type { Check, Subject } from './finding.js'
import { note, problem } from './finding.js'

const withoutStore = ({ operations }: Subject): string | undefined =>
  operations ? undefined : 'a store that can be opened'

/** Whether what is kept is kept. */
export const memoryCheck: Check = {
  name: 'memory store',
  lacks: ({ place }) => (place.options || place.store ? undefined : '--config'),
  look({ place: { store }, production }) {
    // Without any, the options are refused.
    if (!production || store?.kind !== 'memory') return []
    return [
      problem(
        'Applications are kept in memory: they are lost when the process ends, and no process knows those of another.',
        'Give the option store: sqliteStore(path), or postgresStore({ pool }).',
      ),
    ]
  },
}

/** Whether others on the machine can read a SQLite file: hashes, contacts, sealed keys. */
export const fileCheck: Check = {
  name: 'file mode',
  lacks: ({ place }) => (place.database ? undefined : '--db'),
  async look({ place: { database } }) {
    // Windows has no such modes.
    if (!database?.file || process.platform === 'win32') return []
    const open: string[] = []
    for (const file of [database.file, `${database.file}-wal`, `${database.file}-shm`]) {
      const mode = await stat(file).then(
        (stats) => stats.mode & 0o777,
        () => 0,
      )
      if ((mode & 0o077) !== 0) open.push(file)
    }
    if (open.length === 0) return []
    return [problem(`Others on this machine can open ${open.join(', ')}.`, `chmod 600 ${quoted(database.file)}*`)]
  },
}

/** Whether signing keys lie in the open: whoever reads the store could sign access tokens. */
export const sealingCheck: Check = {
  name: 'encryption at rest',
  lacks: withoutStore,
  async look({ place: { store }, production }) {
    const keys = (await store?.listSigningKeys()) ?? []
    if (keys.every(({ sealedPrivateJwk }) => JWE.test(sealedPrivateJwk))) return []
    const said = production ? problem : note
    return [
      said(
        'Signing keys lie in the store unencrypted: whoever reads it, or a backup, can sign access tokens.',
        'Give the option secret: process.env.PLATFORM_AUTH_SECRET, 32 random characters or more; a server\'s next start encrypts them. Then "signing-keys rotate", since backups keep the old ones.',
      ),
    ]
  },
}

/** Compact serialization (RFC 7516 3.1). */
const JWE = /^[\w-]+\.[\w-]*\.[\w-]+\.[\w-]+\.[\w-]+$/

/** Whether this machine and the database agree on the time. */
export const clockCheck: Check = {
  name: "the database's clock",
  lacks: (subject) => (subject.place.database ? withoutStore(subject) : '--db'),
  async look({ place: { database, options } }) {
    if (!database?.clock) return []
    const before = Date.now()
    const there = await database.clock()
    const apart = there - (before + Date.now()) / 2
    return clocksApart('the database', apart, options?.clockTolerance)
  },
}

/** What is said of clocks that are `apart` milliseconds apart; nothing within the tolerance (seconds). */
export function clocksApart(whose: string, apart: number, tolerance = 5): ReturnType<typeof problem>[] {
  // What HTTP tells is cut to the second, and it took time to arrive.
  if (Math.abs(apart) <= Math.max(tolerance, 2) * 1000) return []
  const seconds = Math.round(Math.abs(apart) / 1000)
  return [
    problem(
      `The clock of ${whose} is ${seconds} seconds ${apart > 0 ? 'ahead of' : 'behind'} this machine's.`,
      'Keep clocks by NTP: access tokens from the future are refused, and so are those that seem to have expired.',
    ),
  ]
}

function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`
}
