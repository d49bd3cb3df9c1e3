import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { pinned } from './pinned.mjs'

// A stopped process (SIGSTOP) does not notice that the bench has ended.
const children = new Set()
process.on('exit', () => children.forEach((child) => child.kill('SIGKILL')))

const SERVER = fileURLToPath(new URL('server.mjs', import.meta.url))

/**
 * Between its turns a server is stopped. V8's memory reducer takes that for an idle time, and lets the heap of every contender grow
 * slowly for the next seconds of load: full collections are up to four times as frequent (docs/performance.md).
 */
const AS_UNDER_STEADY_LOAD = '--no-memory-reducer'

/** Starts a contender on the servers' core, stopped (SIGSTOP) until its turn. */
export async function startServer({ contender, options = {}, id, folder }) {
  const flags = ['--expose-gc', AS_UNDER_STEADY_LOAD, SERVER, contender, JSON.stringify({ ...options, id, folder })]
  const [command, ...args] = pinned(0, [process.execPath, ...flags])
  const child = spawn(command, args, {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, NODE_ENV: 'production' },
  })
  children.add(child)
  const failed = once(child, 'exit').then(([code]) => {
    children.delete(child)
    throw new Error(`${id} ended with ${code}`)
  })
  failed.catch(() => undefined)
  const { port, files, startUp } = await Promise.race([once(child, 'message'), failed]).then(([message]) => message)

  async function ask(question) {
    const answer = once(child, 'message')
    child.send(question)
    return (await Promise.race([answer, failed]))[0]
  }

  return {
    id,
    port,
    files,
    startUp,
    ask,
    // A stopped process uses no CPU time, not even for timers.
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    async stop() {
      child.kill('SIGKILL')
      await failed.catch(() => undefined)
    },
  }
}
