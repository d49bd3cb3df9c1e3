import { CHANNEL } from './feed.js'
import { acquire, type PostgresClient, type PostgresPool } from './pool.js'

/** The delay is doubled after each failed attempt to connect. */
const MIN_RECONNECT_DELAY_MS = 50
const MAX_RECONNECT_DELAY_MS = 1000
const PROBE_INTERVAL_MS = 2000
const PROBE_TIMEOUT_MS = 2000

/** Repeating LISTEN has no effect, and shows that the server answers. */
const LISTEN = { text: `LISTEN ${CHANNEL}`, query_timeout: PROBE_TIMEOUT_MS }

/** Calls its watchers when PostgreSQL notifies of a change. It holds a connection while there are watchers. */
export function createPostgresListener(pool: PostgresPool) {
  const watchers = new Set<() => void>()
  let subscription: ReturnType<typeof subscribe> | undefined
  let closed = false

  function wakeAll(): void {
    for (const wake of watchers) wake()
  }

  function stop(): void {
    subscription?.stop()
    subscription = undefined
  }

  return {
    /** Returns a function that stops the calls. */
    watch(wake: () => void): () => void {
      if (closed) return () => undefined
      const watcher = (): void => wake()
      watchers.add(watcher)
      subscription ??= subscribe(pool, wakeAll)
      return () => {
        watchers.delete(watcher)
        if (watchers.size === 0) stop()
      }
    },
    /** Whether a connection listens, as far as this process knows. */
    isListening: (): boolean => subscription?.isListening() === true,
    close(): void {
      closed = true
      watchers.clear()
      stop()
    },
  }
}

/** Listens on a connection of its own, and on a new one when that is lost, until it is stopped. */
function subscribe(pool: PostgresPool, wake: () => void) {
  let client: PostgresClient | undefined
  let timer: NodeJS.Timeout | undefined
  let reconnectDelay = MIN_RECONNECT_DELAY_MS
  let listening = false
  let stopped = false

  async function connect(): Promise<void> {
    let connected: PostgresClient | undefined
    const onLost = (): void => connected && disconnect(connected)
    try {
      connected = await acquire(pool, onLost)
    } catch {
      return reconnectLater()
    }
    client = connected
    connected.on('end', onLost)
    connected.on('notification', wake)
    if (stopped) return disconnect(connected)
    try {
      await connected.query(LISTEN)
    } catch {
      return disconnect(connected)
    }
    if (client !== connected) return
    // The host's process may end while this connection is open.
    connected.unref?.()
    reconnectDelay = MIN_RECONNECT_DELAY_MS
    listening = true
    // Changes may have been committed while no connection listened.
    wake()
    probeLater(connected)
  }

  /** A half-open connection emits no event, so it is probed by repeating LISTEN. */
  function probeLater(probed: PostgresClient): void {
    timer = setTimeout(() => {
      probed.query(LISTEN).then(
        () => client === probed && probeLater(probed),
        () => disconnect(probed),
      )
    }, PROBE_INTERVAL_MS)
    timer.unref()
  }

  function disconnect(lost: PostgresClient): void {
    // A lost connection usually emits both `error` and `end`.
    if (client !== lost) return
    client = undefined
    listening = false
    clearTimeout(timer)
    lost.removeListener('notification', wake)
    // The connection is closed, not returned to the pool, where it would still listen.
    lost.release(true)
    reconnectLater()
  }

  function reconnectLater(): void {
    if (stopped) return
    timer = setTimeout(() => void connect(), reconnectDelay)
    timer.unref()
    reconnectDelay = Math.min(reconnectDelay * 2, MAX_RECONNECT_DELAY_MS)
  }

  void connect()
  return {
    isListening: (): boolean => listening,
    stop(): void {
      stopped = true
      clearTimeout(timer)
      if (client) disconnect(client)
    },
  }
}
