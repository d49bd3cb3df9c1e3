import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

export interface StartedProcess {
  readonly child: ChildProcess
  /** The first line of its output. */
  readonly line: string
}

/**
 * Resolves processes of a program that tests kill and start again. Most of the time of a start is the loading of
 * modules, so the next process is spawned early: the program waits for a line with its arguments before it starts. All processes
 * are killed when the test is over.
 */
export function useSpareProcesses(program: URL): (...args: readonly string[]) => Promise<StartedProcess> {
  const children: ChildProcess[] = []
  onTestFinished(async () => void (await Promise.all(children.map(killProcess))))

  function load() {
    const child = spawn(process.execPath, [fileURLToPath(program)], { stdio: ['pipe', 'pipe', 'inherit'] })
    children.push(child)
    return child
  }
  let spare = load()

  return async (...args) => {
    const child = spare
    spare = load()
    const ended = once(child, 'exit').then(() => Promise.reject(new Error(`${program.pathname} did not start`)))
    ended.catch(() => undefined)
    child.stdin.end(`${args.join(' ')}\n`)
    const [line] = (await Promise.race([once(createInterface({ input: child.stdout }), 'line'), ended])) as [string]
    return { child, line }
  }
}

/** `kill -9`. Resolves when the process has ended. */
export async function killProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}
