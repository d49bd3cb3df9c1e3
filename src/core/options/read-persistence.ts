import { ConfigurationError, type ConfigurationProblem } from '../../shared/contracts/errors.js'
import type { Store } from '../../shared/contracts/store.js'
import { isObject } from '../../shared/lib/own-members.js'
import { readBoolean, wrongOption } from '../../shared/lib/option-checks.js'
import type { PlatformAuthOptions } from './platform-auth-options.js'
import { findWeakness } from '../../shared/lib/secret-strength.js'

interface Persistence {
  readonly store: Store | undefined
  /** Newest first. */
  readonly secrets: readonly string[]
  readonly importUnencrypted: boolean
}

type Warn = (warning: ConfigurationProblem) => unknown

export function readPersistence(options: PlatformAuthOptions, production: boolean, warn: Warn): Persistence {
  const persistence = {
    store: readStore(options.store),
    secrets: readSecrets(options.secret),
    importUnencrypted: readBoolean('importUnencrypted', options.importUnencrypted ?? false),
  }
  checkPersistence(persistence, production, warn)
  checkSecret(persistence, production, warn)
  return persistence
}

export function readStore(store: unknown): Store | undefined {
  if (store === undefined) return undefined
  if (isObject(store) && typeof store['open'] === 'function' && typeof store['saveApplication'] === 'function')
    return store as unknown as Store
  // The value is not shown: a URL or a pool may hold a password.
  throw new ConfigurationError({
    option: 'store',
    problem: 'is no store',
    fix: 'Give it sqliteStore(path) from "express-platform-auth/stores/sqlite", or memoryStore().',
  })
}

const MIN_SECRET_LENGTH = 32
const MAKE_SECRET =
  'Use 32 random characters or more, as `node -p "crypto.randomBytes(32).toString(\'base64url\')"` prints them.'

function readSecrets(secret: unknown): readonly string[] {
  if (secret === undefined) return []
  const secrets: readonly unknown[] = Array.isArray(secret) ? secret : [secret]
  if (secrets.length === 0)
    throw wrongOption('secret', 'is an empty list', 'Put the newest secret first, older ones behind it.')
  if (secrets.every((each) => typeof each === 'string' && each.length >= MIN_SECRET_LENGTH))
    return secrets as readonly string[]
  throw new ConfigurationError({ option: 'secret', problem: 'is too short', fix: MAKE_SECRET })
}

/** Checks the newest secret only: a weak one must be accepted while it is being replaced. */
function checkSecret({ secrets: [newest], importUnencrypted }: Persistence, production: boolean, warn: Warn): void {
  const weakness = newest === undefined ? undefined : findWeakness(newest)
  if (weakness !== undefined) {
    const weak = {
      option: 'secret',
      problem: `is easy to guess: ${weakness}`,
      fix: `${MAKE_SECRET} To replace a weak one: secret: [process.env.NEW_SECRET, process.env.OLD_SECRET].`,
    }
    if (production) throw new ConfigurationError(weak)
    warn({ ...weak, fix: `${weak.fix} In production the platform does not start with it.` })
  }
  if (importUnencrypted)
    warn({
      option: 'importUnencrypted',
      problem: 'is true: anyone who can write to the database can add signing keys',
      fix: 'Remove it after the first start.',
    })
}

/** Requires `store` in production, and `secret` for a store that persists. Elsewhere a missing one is a warning. */
function checkPersistence({ store, secrets }: Persistence, production: boolean, warn: Warn): void {
  if (!store) {
    if (production)
      throw new ConfigurationError({
        option: 'store',
        problem: 'is missing',
        fix: 'In production say where applications are kept: sqliteStore(path) from "express-platform-auth/stores/sqlite", or store: memoryStore() if they may be lost.',
      })
    warn({
      option: 'store',
      problem: 'is missing: applications are kept in memory and lost when the process ends',
      fix: 'Give it sqliteStore(path) from "express-platform-auth/stores/sqlite", or memoryStore() if they may be lost.',
    })
  } else if (store.kind !== 'memory' && secrets.length === 0) {
    if (production)
      throw new ConfigurationError({
        option: 'secret',
        problem: 'is missing',
        fix: 'In production signing keys and pepper are encrypted at rest: set it to 32 random characters or more, from your secret manager.',
      })
    warn({
      option: 'secret',
      problem: 'is missing: signing keys and pepper are stored unencrypted',
      fix: 'Set it to 32 random characters or more. In production the platform does not start without it.',
    })
  }
}
