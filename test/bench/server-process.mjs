import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { pinned } from './pinned.mjs'

// Stopped processes would not notice that the bench has gone.
const children = new Set()
process.on('exit', () => children.forEach((child) => child.kill('SIGKILL')))

const SERVER = fileURLToPath(new URL('server.mjs', import.meta.url))

/** Starts a contender on the servers' core, stopped until it is its turn. */
export async function startServer({ contender, options = {}, id, folder }) {
  const flags = ['--expose-gc', SERVER, contender, JSON.stringify({ ...options, id, folder })]
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
    // A process that has been stopped uses no CPU time, neither its own nor, by timers, that of the others.
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    async stop() {
      child.kill('SIGKILL')
      await failed.catch(() => undefined)
    },
  }
}
