/** The part of `Pool` of the package `pg` that a store uses. */
export interface PostgresPool {
  readonly options?: { readonly max?: number | undefined }
  connect(callback: (error: Error | undefined, client: PostgresClient | undefined) => void): void
  on(event: 'error', listener: () => void): unknown
}

export interface PostgresClient {
  query(query: PostgresQuery): Promise<PostgresResult>
  release(destroy?: boolean): void
  unref?(): void
  on(event: 'notification' | 'error' | 'end', listener: () => void): unknown
  removeListener(event: 'notification' | 'error' | 'end', listener: () => void): unknown
}

export interface PostgresQuery {
  readonly text: string
  readonly name?: string
  values?: unknown[]
  /** Milliseconds. */
  readonly query_timeout?: number | undefined
  readonly types?: { getTypeParser(oid: number): (text: string) => unknown }
}

export interface PostgresResult {
  readonly rows: readonly unknown[]
  readonly rowCount: number | null
}

/**
 * Takes a connection from the pool; the caller gives it back with `release()`. `onError` is called when the connection is
 * lost: without a listener that event would end the process. It uses the callback of `connect()`, because a promise resolves
 * too late if the connection is established and lost within one read of its socket.
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
