import {
  createPlatformAuth,
  openAdmin,
  type Logger,
  type AdminApi,
  type PlatformAuth,
  type PlatformAuthOptions,
  type Store,
} from '../index.js'
import { optionsFrom } from './config.js'
import { databaseAt, type Database } from './database.js'
import { RefusedError, UsageError } from './failure.js'
import { inTime, reachable } from './reachable.js'

/** What must be known for a command: the store alone (`--db`), or the platform's options too (`--config`). A doctor comes in spite of what fails. */
export type Needs = 'store' | 'options' | 'whatever there is'

/** Where a command works. */
export interface Place {
  /** Undefined where the options name none. */
  readonly store: Store | undefined
  /** What `--config` exports. */
  readonly options: PlatformAuthOptions | undefined
  /** What `--db` names. */
  readonly database: Database | undefined
  /** Lets go of what `--db` opened; the store apart. */
  close(): Promise<void>
}

/** The flags; and in their place, where neither is given, the environment. */
export interface PlaceFlags {
  readonly db?: string | undefined
  readonly config?: string | undefined
}
export const VARIABLES = { db: 'EXPRESS_PLATFORM_AUTH_DB', config: 'EXPRESS_PLATFORM_AUTH_CONFIG' } as const

/** Finds the store and, for the commands that need them, the options. Nothing is opened yet. */
export async function findPlace(
  flags: PlaceFlags,
  env: NodeJS.ProcessEnv,
  command: { readonly name: string; readonly needs: Needs },
): Promise<Place> {
  // Not one by one: a variable must not put another store below the options that somebody names.
  const named = flags.db ?? flags.config
  const db = named === undefined ? env[VARIABLES.db] || undefined : flags.db
  const config = named === undefined ? env[VARIABLES.config] || undefined : flags.config
  if (config === undefined && command.needs === 'options') {
    throw new UsageError(
      `"${command.name}" needs --config MODULE, whose default export are the options of createPlatformAuth().`,
      command.name,
    )
  }
  if (db === undefined && config === undefined) {
    throw new UsageError('Where is the store? Give --db URL or path, or --config MODULE.', command.name)
  }
  const options = config === undefined ? undefined : await optionsFrom(config)
  const database = db === undefined ? undefined : await databaseAt(db)
  const store = database?.store ?? options?.store
  return { store: store && reachable(store), options, database, close: async () => database?.close() }
}

/** What commands are done with: an operator's hands on the store, or the platform itself. */
export async function openPlace(
  place: Place,
  { needs, mails }: { readonly needs: Needs; readonly mails: boolean },
): Promise<{ platform: AdminApi; store: Store; sends: boolean }> {
  const store = storeThatLasts(place)
  // With a mailer this process would send whatever email waits: only where it is about emails.
  const mailer = mails ? place.options?.mailer : undefined
  const sends = mailer !== undefined
  if (place.options && (needs === 'options' || sends)) {
    return { platform: await startPlatform({ ...place.options, store, mailer }), store, sends }
  }
  return { platform: await openAdmin(store), store, sends }
}

/** A platform that is ready. Rejects at the first failure: a server retries, an operator repeats the command. */
export async function startPlatform(options: PlatformAuthOptions): Promise<PlatformAuth> {
  const auth = createPlatformAuth({ ...options, logger: SILENT })
  try {
    await auth.ready({ retry: false })
    return auth
  } catch (error) {
    await inTime(auth.close(), 2000).catch(() => undefined)
    throw error
  }
}

/** Failures reject calls, and reach the operator as the command's error. */
const SILENT: Logger = { debug() {}, info() {}, warn() {}, error() {} }

function storeThatLasts({ store }: Place): Store {
  if (store && store.kind !== 'memory') return store
  throw new RefusedError(
    'The options keep applications in memory: what is done here would be lost with this process. Name a store that lasts, such as sqliteStore(path), or give --db.',
  )
}
