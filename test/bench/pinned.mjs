import { spawnSync } from 'node:child_process'
import { availableParallelism } from 'node:os'

/** Whether a program is installed. */
export function isThere(program) {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined
}

const canPin = isThere('taskset') && availableParallelism() > 1

/** Pins this process to the load's core if it generates the load itself. */
export function pinThis() {
  if (canPin) spawnSync('taskset', ['-cp', '1', String(process.pid)], { stdio: 'ignore' })
}

/** The command pinned to a core if taskset is installed: core 0 for servers, core 1 for the load. */
export function pinned(core, command) {
  return canPin ? ['taskset', '-c', String(core), ...command] : command
}
