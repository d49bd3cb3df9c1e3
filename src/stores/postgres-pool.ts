/** What a store needs of `Pool` of the package `pg`. */
export interface PostgresPool {
  readonly options?: { readonly max?: number | undefined }
  connect(): Promise<PostgresClient>
  query(query: PostgresQuery): Promise<PostgresResult>
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
  readonly types?: { getTypeParser(oid: number): (text: string) => unknown }
}

/** What a store needs of `QueryResult`. */
export interface PostgresResult {
  readonly rows: readonly unknown[]
  readonly rowCount: number | null
}
