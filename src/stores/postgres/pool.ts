/** What a store needs of `Pool` of the package `pg`. */
export interface PostgresPool {
  readonly options?: { readonly max?: number | undefined }
  connect(callback: (error: Error | undefined, client: PostgresClient | undefined) => void): void
  on(event: 'error', listener: () => void): unknown
}

/** What a store needs of `PoolClient`. */
export interface PostgresClient {
  query(query: PostgresQuery): Promise<PostgresResult>
  release(destroy?: boolean): void
  unref?(): void
  on(event: 'notification' | 'error' | 'end', listener: () => void): unknown
  removeListener(event: 'notification' | 'error' | 'end', listener: () => void): unknown
}

/** What a store needs of `QueryConfig`. */
export interface PostgresQuery {
  readonly text: string
  readonly name?: string
  values?: unknown[]
  /** Milliseconds. */
  readonly query_timeout?: number | undefined
  readonly types?: { getTypeParser(oid: number): (text: string) => unknown }
}

/** What a store needs of `QueryResult`. */
export interface PostgresResult {
  readonly rows: readonly unknown[]
  readonly rowCount: number | null
}

/**
 * A connection of the pool's, which whoever has it gives back by `release()`. `onError` hears of its loss: where nobody
 * does, that ends the process. By callback, since a promise would come too late where one piece of the stream brings both
 * the connection and its end.
 */
export function acquire(pool: PostgresPool, onError: () => void): Promise<PostgresClient> {
  return new Promise((resolve, reject) => {
    pool.connect((error, client) => {
      if (!client) return reject(error ?? new Error('The pool gave no connection.'))
      client.on('error', onError)
      resolve(client)
    })
  })
}
