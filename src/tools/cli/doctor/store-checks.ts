import { stat } from 'node:fs/promises'
import { shellQuote } from '../../../shared/lib/shell-quote.js'
import { describeRootCause, PROGRAM } from '../errors.js'
import { note, problem, type CheckContext, type CheckResult } from './finding.js'

export function checkMemory({ target: { store }, production }: CheckContext) {
  // Without a store, the check of the options reports that it is missing.
  if (!production || store?.kind !== 'memory') return []
  return problem(
    'Applications are kept in memory: they are lost when the process ends, and processes do not share them.',
    'Set the option store: sqliteStore(path), or postgresStore({ pool }).',
  )
}

export async function checkFileMode({ target: { database } }: CheckContext) {
  // Windows has no such modes.
  if (!database?.file || process.platform === 'win32') return []
  const readable: string[] = []
  for (const file of [database.file, `${database.file}-wal`, `${database.file}-shm`]) {
    const mode = await stat(file).then(
      (stats) => stats.mode & 0o777,
      () => 0,
    )
    if ((mode & 0o077) !== 0) readable.push(file)
  }
  if (readable.length === 0) return []
  return problem(`Others on this machine can open ${readable.join(', ')}.`, `chmod 600 ${shellQuote(database.file)}*`)
}

/** Whether the store has every change: a replica may lack some. */
export async function checkChangeFeed({ target: { store } }: CheckContext) {
  try {
    await store?.changesSince(undefined)
    return []
  } catch (error) {
    const fix = 'Connect to the primary. Servers that are connected to a replica answer 503: it may lack suspensions.'
    return problem(describeRootCause(error), fix)
  }
}

/** Compact serialization (RFC 7516 3.1). */
const JWE = /^[\w-]+\.[\w-]*\.[\w-]+\.[\w-]+\.[\w-]+$/

export async function checkEncryption({ target: { store }, production }: CheckContext) {
  const keys = (await store?.listSigningKeys()) ?? []
  if (keys.every(({ sealedPrivateJwk }) => JWE.test(sealedPrivateJwk))) return []
  const create = production ? problem : note
  return create(
    'Signing keys are stored unencrypted: anybody who reads the store, or a backup, can sign access tokens.',
    `Set the option secret: process.env.PLATFORM_AUTH_SECRET, at least 32 random characters, and for one start importUnencrypted: true; that start encrypts them. Then: ${PROGRAM} signing-keys rotate, and ${PROGRAM} session-secret replace, because backups keep the old ones.`,
  )
}

const SECONDS_PER_DAY = 86_400
/** A running server rotates a key that is due within a minute. */
const ROTATION_TOLERANCE_SECONDS = 120

export async function checkKeys({ target: { options }, admin }: CheckContext) {
  const keys = (await admin?.signingKeys.list())?.items ?? []
  if (keys.length === 0)
    return problem(
      'There is no signing key: no server has ever started on this store.',
      'Start one; it creates the first key. If servers run, they run on another store.',
    )
  const rotateEvery = options?.tokens?.rotateEvery
  const age = (Date.now() - Math.max(...keys.map(({ createdAt }) => createdAt.getTime()))) / 1000
  if (typeof rotateEvery !== 'number' || age <= rotateEvery + ROTATION_TOLERANCE_SECONDS) return []
  return problem(
    `The newest signing key is ${formatDuration(age)} old, and tokens.rotateEvery is ${formatDuration(rotateEvery)}: no running server rotates it.`,
    `Check that a server runs with these options on this store. To rotate it now: ${PROGRAM} signing-keys rotate`,
  )
}

function formatDuration(seconds: number): string {
  return seconds >= 2 * SECONDS_PER_DAY
    ? `${Math.floor(seconds / SECONDS_PER_DAY)} days`
    : `${Math.floor(seconds)} seconds`
}

export async function checkClock({ target: { database, options } }: CheckContext) {
  if (!database?.readClock) return []
  const before = Date.now()
  const time = await database.readClock()
  return compareClocks('the database', time - (before + Date.now()) / 2, options?.tokens?.clockTolerance)
}

/** `difference` in milliseconds. `tolerance` in seconds; at least 2, because HTTP dates are cut to the second and take time. */
export function compareClocks(owner: string, difference: number, tolerance = 5): CheckResult[] {
  if (Math.abs(difference) <= Math.max(tolerance, 2) * 1000) return []
  const seconds = Math.round(Math.abs(difference) / 1000)
  return [
    problem(
      `The clock of ${owner} is ${seconds} seconds ${difference > 0 ? 'ahead of' : 'behind'} this machine's.`,
      'Synchronize clocks with NTP: access tokens are refused if they seem to be from the future, or to have expired.',
    ),
  ]
}
