import type { PostgresClient, PostgresQuery, PostgresResult } from './pool.js'

/** The time limit of the ROLLBACK after a failed statement. The connection is closed if it has no answer. */
export const ROLLBACK_TIMEOUT_MS = 500
/** Waiting for a lock ends first, so that the error names the lock. */
const LOCK_MARGIN_MS = 100

/**
 * Runs one statement, which PostgreSQL itself ends after that many milliseconds. A limit that only the client knows would
 * leave a server process behind: one that waits for a lock does not notice that its client has gone. The limit does not
 * outlive the statement, because the host may use the same connection, and PgBouncer gives it to other clients.
 *
 * Limit and statement are sent at once and take one round trip. Clients that cannot do that (`pg-native`, one with
 * `pipeline`, a wrapper) run a transaction of three.
 */
export async function queryWithin(
  client: PostgresClient,
  query: PostgresQuery,
  milliseconds: number,
): Promise<PostgresResult> {
  if (!findWire(client)) return queryInTransaction(client, query, milliseconds)
  return new Promise((resolve, reject) => {
    const [statement, lock] = readLimits(milliseconds)
    const prefix = { ...LIMIT, ...(query.name === undefined && { name: undefined }), values: [statement, lock] }
    const callback = (error: unknown, result?: PostgresResult): void => (result ? resolve(result) : reject(error))
    void client.query(createWireQuery([prefix, query], callback))
  })
}

/** `true`: until the end of the transaction, which is that of both statements. */
const LIMIT = {
  name: 'platform_auth_limit',
  text: `SELECT set_config('statement_timeout', $1, true), set_config('lock_timeout', $2, true)`,
}

async function queryInTransaction(client: PostgresClient, query: PostgresQuery, milliseconds: number) {
  const { query_timeout } = query
  await client.query({ text: `BEGIN; ${setLocalLimits(milliseconds)}`, query_timeout })
  try {
    const result = await client.query(query)
    await client.query({ text: 'COMMIT', query_timeout })
    return result
  } catch (error) {
    // Its failure takes the place of the first one, after which the connection could be used further.
    await client.query({ text: 'ROLLBACK', query_timeout: ROLLBACK_TIMEOUT_MS })
    throw error
  }
}

/** Statements that limit each of those that follow in their transaction. */
export function setLocalLimits(milliseconds: number): string {
  const [statement, lock] = readLimits(milliseconds)
  return `SET LOCAL statement_timeout = ${statement}; SET LOCAL lock_timeout = ${lock};`
}

/** Whole milliseconds, of which 0 would be no limit. */
function readLimits(milliseconds: number): readonly [statement: string, lock: string] {
  const limit = Math.max(2, Math.ceil(milliseconds))
  return [String(limit), String(Math.max(1, limit - LOCK_MARGIN_MS))]
}

/** Whether PostgreSQL has ended a statement because of a limit. The connection can be used further. */
export function isEndedByLimit(error: unknown): boolean {
  const { code } = Object(error) as { code?: unknown }
  return code === QUERY_CANCELED || code === LOCK_NOT_AVAILABLE
}

const QUERY_CANCELED = '57014'
const LOCK_NOT_AVAILABLE = '55P03'

/** A statement of a `createWireQuery()`. Without a name PostgreSQL forgets it afterwards. */
type WireStatement = Pick<PostgresQuery, 'text' | 'values'> & { readonly name?: string | undefined }

/** The part of `Connection` of the package `pg` that is used, as `pg-cursor` does. */
interface Wire {
  parse(message: { text: string; name: string; types: readonly number[] }): void
  bind(message: { portal: string; statement: string; values: readonly (string | null)[] }): void
  describe(message: { type: 'P'; name: string }): void
  execute(message: object): void
  close(message: { type: 'S'; name: string }): void
  sync(): void
  readonly stream: { cork?(): void; uncork?(): void }
  readonly writer?: unknown
}

function findWire(client: PostgresClient): Wire | undefined {
  const { connection, pipeline } = client as { connection?: Partial<Wire>; pipeline?: unknown }
  // In pipeline mode `pg` sends only its own queries. Versions below 8.1 write all messages into one buffer, which they do not copy.
  const isRefused = Boolean(pipeline) || connection?.writer !== undefined
  const isUsable = !isRefused && METHODS.every((method) => typeof connection?.[method] === 'function')
  return isUsable ? (connection as Wire) : undefined
}

const METHODS = ['parse', 'bind', 'describe', 'execute', 'close', 'sync'] as const

const prepared = new WeakMap<Wire, Set<string>>()

/** An object that `pg` takes in place of a query, and calls with PostgreSQL's answers. */
interface WireQuery extends PostgresQuery {
  /** `pg` replaces it with one that clears the query's timer. */
  callback: (error: unknown, result?: PostgresResult) => void
  submit(wire: Wire): void
  handleRowDescription(message: { fields: readonly Field[] }): void
  handleDataRow(message: { fields: readonly (string | null)[] }): void
  handleCommandComplete(): void
  handleReadyForQuery(): void
  handleError(error: unknown): void
}

interface Field {
  readonly name: string
  readonly dataTypeID: number
}

/** Two statements in one message and transaction; the rows of the second. `pg` can do so only without values. */
function createWireQuery(
  statements: readonly [first: WireStatement, second: PostgresQuery],
  callback: WireQuery['callback'],
): WireQuery {
  const [, { text, query_timeout, types }] = statements
  const rows: Record<string, unknown>[] = []
  let readers: (readonly [name: string, read: (text: string) => unknown])[] | undefined
  let names: Set<string>

  function send(wire: Wire, { text, name = '', values = [] }: WireStatement): void {
    if (!names.has(name)) {
      // An attempt that failed may have prepared it. It is no error to close what does not exist.
      if (name !== '') wire.close({ type: 'S', name: statementName(name) })
      wire.parse({ text, name: statementName(name), types: [] })
    }
    wire.bind({ portal: '', statement: statementName(name), values: (values as Value[]).map(formatValue) })
  }

  const query: WireQuery = {
    text,
    ...(query_timeout !== undefined && { query_timeout }),
    callback,
    submit(wire) {
      names = prepared.get(wire) ?? new Set()
      prepared.set(wire, names)
      wire.stream.cork?.()
      send(wire, statements[0])
      wire.execute({})
      send(wire, statements[1])
      wire.describe({ type: 'P', name: '' })
      wire.execute({})
      // This ends the transaction.
      wire.sync()
      wire.stream.uncork?.()
    },
    handleRowDescription({ fields }) {
      readers = fields.map(({ name, dataTypeID }) => [name, types?.getTypeParser(dataTypeID) ?? String])
    },
    handleDataRow({ fields }) {
      // Only the second statement's rows are described.
      if (!readers) return
      const row: Record<string, unknown> = {}
      for (const [i, [name, read]] of readers.entries()) {
        const field = fields[i] ?? null
        row[name] = field === null ? null : read(field)
      }
      rows.push(row)
    },
    handleCommandComplete: () => undefined,
    handleReadyForQuery() {
      for (const { name } of statements) if (name !== undefined) names.add(name)
      query.callback(undefined, { rows, rowCount: rows.length })
    },
    handleError: (error) => query.callback(error),
  }
  return query
}

/** The name differs from the one by which `pg` prepares the same statement: `pg` would not know that it exists. */
function statementName(name: string): string {
  return name && `${name}_limited`
}

type Value = string | number | readonly unknown[] | null

function formatValue(value: Value): string | null {
  if (value === null) return null
  return typeof value === 'object' ? `{${value.map(formatElement).join()}}` : String(value)
}

function formatElement(element: unknown): string {
  return `"${String(element).replaceAll(/["\\]/g, '\\$&')}"`
}
