import { existsSync } from 'node:fs'
import { extname, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import {
  createPlatformAuth,
  StoreIncompatibleError,
  StoreUnavailableError,
  type Logger,
  type CoreAuth,
  type PlatformAuthOptions,
  type Store,
} from '../../index.js'
import { openAdmin, type AdminApi } from '../admin/index.js'
import type { WithEmails } from '../../features/emails/index.js'
import type { WithImports } from '../../features/imports/index.js'
import type { WithPortal } from '../../features/portal/index.js'
import type { WithRegistration } from '../../features/registration/index.js'
import type { WithUsage } from '../../features/usage/index.js'
import { copyOwn, isObject, ownMembers } from '../../shared/lib/own-members.js'
import { withTimeout } from '../../shared/lib/timeout.js'
import { CommandError, describeError, UsageError, ENVIRONMENT_VARIABLES } from './errors.js'
import { sqliteStore } from '../../stores/sqlite/index.js'

/** What a command needs: a `store`, or a platform's `options` too. `target`: the doctor reports what fails. */
export type Requirement = 'target' | 'store' | 'options'

export interface Target {
  readonly store: Store | undefined
  readonly options: PlatformAuthOptions | undefined
  readonly database: Database | undefined
  close(): Promise<void>
}

export type GivenPlatform = CoreAuth & Partial<Pick<EveryFeature, FeatureName>>
type FeatureName = 'emails' | 'imports' | 'portal' | 'registration' | 'usage'
type EveryFeature = WithEmails & WithImports & WithPortal & WithRegistration & WithUsage

export interface OpenTarget<Platform extends AdminApi = AdminApi> {
  readonly platform: Platform
  readonly store: Store
  /** Whether this process sends queued e-mails; otherwise a running server does. */
  readonly sendsEmails: boolean
}

export interface TargetFlags {
  readonly db?: string | undefined
  readonly config?: string | undefined
}

export async function findTarget(
  flags: TargetFlags,
  env: NodeJS.ProcessEnv,
  command: { readonly name: string; readonly requires: Requirement },
): Promise<Target> {
  // If one flag is given, both variables are ignored: EXPRESS_PLATFORM_AUTH_DB must not replace the store of --config.
  const isGiven = flags.db !== undefined || flags.config !== undefined
  const db = isGiven ? flags.db : env[ENVIRONMENT_VARIABLES.db] || undefined
  const config = isGiven ? flags.config : env[ENVIRONMENT_VARIABLES.config] || undefined
  if (config === undefined && command.requires === 'options')
    throw new UsageError(
      `"${command.name}" needs --config MODULE, whose default export is the options of createPlatformAuth().`,
      command.name,
    )
  if (db === undefined && config === undefined)
    throw new UsageError('No store is given. Add --db ADDRESS or --config MODULE.', command.name)
  const options = config === undefined ? undefined : await loadOptions(config)
  const database = db === undefined ? undefined : await createDatabase(db)
  const store = database?.store ?? options?.store
  return { store: store && addTimeouts(store), options, database, close: async () => database?.close() }
}

async function loadOptions(path: string): Promise<PlatformAuthOptions> {
  const file = resolve(path)
  if (!existsSync(file)) throw new CommandError(`--config: there is no file ${file}.`)
  const exported = await importDefault(file)
  const options: unknown = await (typeof exported === 'function' ? (exported as () => unknown)() : exported)
  if (typeof options !== 'object' || options === null)
    throw new CommandError(
      `--config: ${file} has no options as its default export. Write: export default { baseUrl, apis, store, secret }`,
    )
  if (Object.hasOwn(options, 'router') && Object.hasOwn(options, 'applications'))
    throw new CommandError(
      `--config: ${file} exports a platform. Export the options that createPlatformAuth() takes instead.`,
    )
  return copyOptions(options as PlatformAuthOptions)
}

/** With own members alone, also of the groups that commands and checks read: so createPlatformAuth() takes them. */
function copyOptions(given: PlatformAuthOptions): PlatformAuthOptions {
  const options = ownMembers(given)
  // Redis, signer and store stay the objects that they are.
  const levels = { apis: 2, credentials: 1, rateLimits: 1, tokens: 1 } as const
  const groups = Object.entries(levels).map(([name, level]) => [
    name,
    copyOwn(options[name as keyof typeof levels], level),
  ])
  return Object.assign(options, Object.fromEntries(groups))
}

async function importDefault(file: string): Promise<unknown> {
  try {
    const module = (await import(pathToFileURL(file).href)) as { default?: unknown }
    const exported = module.default
    // TypeScript compiles `export default` to `exports.default` in CommonJS.
    const isCompiled = typeof exported === 'object' && exported !== null && '__esModule' in exported
    return isCompiled && 'default' in exported ? exported.default : exported
  } catch (cause) {
    const { code } = cause as { code?: unknown }
    if (code === 'ERR_UNKNOWN_FILE_EXTENSION' && extname(file).endsWith('ts'))
      throw new CommandError(
        `--config: Node ${process.versions.node} does not load ${extname(file)} files by itself; 22.18 and 24 do. Compile it, or run node with --import tsx.`,
        { cause },
      )
    // `npm init` writes "type": "commonjs", so that Node reads a file .js with an import as CommonJS.
    const hint =
      cause instanceof SyntaxError && extname(file) === '.js'
        ? '. If it has import or export, name it .mjs, or write "type": "module" into package.json'
        : ''
    throw new CommandError(`--config: ${file} could not be loaded: ${describeError(cause)}${hint}`, { cause })
  }
}

export async function openTarget(
  target: Target,
  { requires, queuesEmails }: { readonly requires: Requirement; readonly queuesEmails: boolean },
): Promise<OpenTarget> {
  const { store } = target
  if (!store || store.kind === 'memory')
    throw new CommandError(
      'The options have no persistent store: changes would be lost when this command ends. Set the option store, such as sqliteStore(path), or give --db.',
    )
  // A platform that runs in the background sends every e-mail that is due, so only commands that queue e-mails start one.
  const sendsEmails = queuesEmails && hasFeature(target.options, 'emails')
  if (target.options && (requires === 'options' || sendsEmails)) {
    const options = { ...target.options, store, ...(!sendsEmails && { background: false as const }) }
    return { platform: await startPlatform(options), store, sendsEmails }
  }
  return { platform: await openAdmin(store, { metadata: target.options?.metadata }), store, sendsEmails }
}

export function hasFeature(options: PlatformAuthOptions | undefined, name: string): boolean {
  return findFeature(options, name) !== undefined
}

export function listPlanNames(options: PlatformAuthOptions | undefined): readonly string[] | undefined {
  const names = findFeature(options, 'plans')?.['planNames']
  return Array.isArray(names) ? names : undefined
}

function findFeature(options: PlatformAuthOptions | undefined, name: string): Record<string, unknown> | undefined {
  const { features } = options ?? {}
  const given: readonly unknown[] = Array.isArray(features) ? features : []
  return given.filter(isObject).find((feature) => feature['name'] === name)
}

export function requireFeature<Name extends FeatureName>(
  platform: { readonly [Each in Name]?: EveryFeature[Each] | undefined },
  name: Name,
): EveryFeature[Name] {
  const calls = platform[name]
  if (calls) return calls
  throw describeMissing(name, true)
}

export function describeMissing(call: string, isFeature: boolean): CommandError {
  const [name = ''] = call.split('.')
  if (isFeature)
    return new CommandError(`The options have no ${name}(): add it to features, from "express-platform-auth/${name}".`)
  const part = name === 'portal' ? 'signIns' : name === 'plans' ? 'quotas' : name
  return new CommandError(`The store has no part for this command: ${part}.`)
}

const CLOSE_AFTER_FAILURE_TIMEOUT_MS = 2000

/** A platform that is ready. Rejects at the first failure: a server retries, an operator repeats the command. */
export async function startPlatform(options: PlatformAuthOptions): Promise<GivenPlatform> {
  const auth = createPlatformAuth({ ...options, logger: SILENT_LOGGER })
  try {
    await auth.ready({ retry: false })
    return auth
  } catch (error) {
    await limitWait(auth.close(), CLOSE_AFTER_FAILURE_TIMEOUT_MS).catch(() => undefined)
    throw error
  }
}

/** Failures reject the command's calls, and are printed as its error. */
export const SILENT_LOGGER: Logger = { debug() {}, info() {}, warn() {}, error() {} }

const STORE_CALL_TIMEOUT_MS = 10_000
/** Opening has a longer limit, because it may wait for a server's migration. */
const STORE_OPEN_TIMEOUT_MS = 60_000

/** The same store; calls that fail or take too long reject with `StoreUnavailableError`, whatever the driver. */
function addTimeouts<Calls extends object>(calls: Calls): Calls {
  // The proxy's target is an empty object, because a proxy of a frozen store would have to return its methods unchanged.
  return new Proxy({} as Calls, {
    get(_, name) {
      const member: unknown = Reflect.get(calls, name)
      // A part of the store.
      if (isObject(member)) return addTimeouts<object>(member)
      if (typeof member !== 'function' || name === 'watch') return member
      return async function callStore(...args: unknown[]): Promise<unknown> {
        try {
          const answer = Reflect.apply(member, calls, args) as Promise<unknown>
          return await limitWait(answer, name === 'open' ? STORE_OPEN_TIMEOUT_MS : STORE_CALL_TIMEOUT_MS)
        } catch (cause) {
          if (cause instanceof StoreIncompatibleError || cause instanceof StoreUnavailableError) throw cause
          throw new StoreUnavailableError(`The store is unavailable: ${describeError(cause)}`, { cause })
        }
      }
    },
  })
}

export function limitWait<Result>(work: Promise<Result>, milliseconds: number): Promise<Result> {
  return withTimeout(work, milliseconds, () => new Error(`no answer within ${milliseconds / 1000} seconds`))
}

interface Database {
  readonly store: Store
  readonly address: string
  readonly file?: string
  /** Reads the database server's clock, in milliseconds since 1970. Undefined for SQLite, which has none of its own. */
  readonly readClock?: () => Promise<number>
  close(): Promise<void>
}

const CONNECTION_TIMEOUT_MS = 5000

async function createDatabase(address: string): Promise<Database> {
  if (/^postgres(?:ql)?:\/\//i.test(address)) return createPostgresDatabase(address)
  const [, scheme] = /^([a-z][a-z0-9+.-]+):\/\//i.exec(address) ?? []
  if (scheme && scheme.toLowerCase() !== 'file')
    throw new UsageError(`--db starts with ${scheme}://. It must be postgres://..., or the path of a SQLite file.`)
  const isUrl = /^file:\/\//i.test(address) && URL.canParse(address)
  return createSqliteDatabase(isUrl ? fileURLToPath(address) : resolve(address.replace(/^file:/i, '')))
}

/** Does not create a missing file: with a mistyped path an operator would see an empty platform. */
function createSqliteDatabase(file: string): Database {
  const store = sqliteStore(file)
  const open: Store['open'] = async (options) => {
    if (!existsSync(file)) throw new Error(`there is no file ${file}. A server creates it when it first starts.`)
    return store.open(options)
  }
  return { store: { ...store, open }, address: file, file, close: async () => undefined }
}

async function createPostgresDatabase(address: string): Promise<Database> {
  // The error of pg would repeat the address, and the password in it.
  if (!URL.canParse(address))
    throw new UsageError(
      '--db is not a valid URL. Write postgres://user@host:5432/database, and percent-encode a password.',
    )
  const { postgresStore } = await import('../../stores/postgres/index.js')
  const { default: pg } = await import('pg').catch((error: unknown) => {
    if ((error as { code?: unknown }).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new CommandError('PostgreSQL needs the package pg, which is not installed: npm install pg')
  })
  const pool = new pg.Pool({ connectionString: address, max: 2, connectionTimeoutMillis: CONNECTION_TIMEOUT_MS })
  // The pool replaces an idle connection that breaks. Without a listener the error would end the process.
  pool.on('error', () => undefined)
  return {
    // No command runs long enough to need notifications of changes.
    store: postgresStore({ pool, listen: false }),
    address,
    async readClock() {
      const text = 'SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now'
      const { rows } = await pool.query<{ now: string }>(text)
      return Number(rows[0]?.now)
    },
    close: () => pool.end(),
  }
}
