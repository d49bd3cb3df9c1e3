import { CHANNEL } from './feed.js'
import { acquire } from './pool.js'
import type { PostgresClient, PostgresPool } from './pool.js'

/** Calls back when a change is notified, as long as anybody watches. */
export interface PostgresListener {
  /** Returns how to stop. */
  watch(wake: () => void): () => void
  /** Whether all that is committed is notified here, as far as is known. */
  isListening(): boolean
  close(): void
}

export function postgresListener(pool: PostgresPool): PostgresListener {
  const watchers = new Set<() => void>()
  let listening: Listening | undefined
  let closed = false

  function wakeAll(): void {
    for (const wake of watchers) wake()
  }

  function stop(): void {
    listening?.stop()
    listening = undefined
  }

  return {
    watch(wake) {
      if (closed) return () => undefined
      const watcher = (): void => wake()
      watchers.add(watcher)
      listening ??= keepListening(pool, wakeAll)
      return () => {
        watchers.delete(watcher)
        if (watchers.size === 0) stop()
      }
    },
    isListening: () => listening?.isUp() === true,
    close() {
      closed = true
      watchers.clear()
      stop()
    },
  }
}

/** Milliseconds before another attempt to connect: twice as many after each that failed. */
const FIRST_PAUSE = 50
const LONGEST_PAUSE = 1000
/** Milliseconds between two looks whether the connection is still there, and for which it may be silent then. */
const HEARTBEAT = 2000
const SILENCE = 2000

interface Listening {
  isUp(): boolean
  stop(): void
}

/** Listens on a connection of its own, and on the next one when it is lost, until told to stop. */
function keepListening(pool: PostgresPool, wake: () => void): Listening {
  let client: PostgresClient | undefined
  let timer: NodeJS.Timeout | undefined
  let pause = FIRST_PAUSE
  let up = false
  let stopped = false

  async function connect(): Promise<void> {
    let connected: PostgresClient | undefined
    const onLoss = (): void => connected && letGo(connected)
    try {
      connected = await acquire(pool, onLoss)
    } catch {
      return tryAgain()
    }
    client = connected
    connected.on('end', onLoss)
    connected.on('notification', wake)
    if (stopped) return letGo(connected)
    try {
      await connected.query(LISTEN)
    } catch {
      return letGo(connected)
    }
    if (client !== connected) return
    // The host's process need not live for this.
    connected.unref?.()
    pause = FIRST_PAUSE
    up = true
    // For what was committed while nobody listened.
    wake()
    look(connected)
  }

  /** Where a machine or a network between is gone, nobody tells; who listens would wait for ever. */
  function look(listener: PostgresClient): void {
    timer = setTimeout(() => {
      listener.query(LISTEN).then(
        () => client === listener && look(listener),
        () => letGo(listener),
      )
    }, HEARTBEAT)
    timer.unref()
  }

  function letGo(lost: PostgresClient): void {
    // An error and an end are mostly told of the same loss.
    if (client !== lost) return
    client = undefined
    up = false
    clearTimeout(timer)
    lost.removeListener('notification', wake)
    // Not back into the pool: it would go on listening there.
    lost.release(true)
    tryAgain()
  }

  function tryAgain(): void {
    if (stopped) return
    timer = setTimeout(() => void connect(), pause)
    timer.unref()
    pause = Math.min(pause * 2, LONGEST_PAUSE)
  }

  void connect()
  return {
    isUp: () => up,
    stop() {
      stopped = true
      clearTimeout(timer)
      if (client) letGo(client)
    },
  }
}

/** To listen again changes nothing, and shows that the server is there. */
const LISTEN = { text: `LISTEN ${CHANNEL}`, query_timeout: SILENCE }
