import { spawnSync } from 'node:child_process'
import { availableParallelism } from 'node:os'

/** Whether a program is there. */
export function isThere(program) {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined
}

const canPin = isThere('taskset') && availableParallelism() > 1

/** Keeps this process, where it is the load itself, to the load's core. */
export function pinThis() {
  if (canPin) spawnSync('taskset', ['-cp', '1', String(process.pid)], { stdio: 'ignore' })
}

/** The command, kept to one core where that can be had: 0 is the servers', 1 the load's. */
export function pinned(core, command) {
  return canPin ? ['taskset', '-c', String(core), ...command] : command
}
