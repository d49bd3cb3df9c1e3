import type { createApplicationCalls } from './application-calls.js'
import { withCheckedArguments, type CallParameters } from './call-arguments.js'
import { APPLICATION_PARAMETERS } from './call-parameters.js'
import { guardWriter, type WriteGuard } from './records/application-writer.js'

export type CoreCalls = ReturnType<typeof createLateApplications>

/** The calls of `auth.applications`. What they do is loaded at the start of the platform, or with the first if that comes earlier. */
export function createLateApplications(
  options: Parameters<typeof createApplicationCalls>[0],
  goFirst: (call: () => Promise<unknown>) => Promise<unknown>,
) {
  const load = () => import('./application-calls.js')
  const create = async (writer = options.writer) => (await load()).createApplicationCalls({ ...options, writer })
  return {
    load,
    applications: withLateCalls(APPLICATION_PARAMETERS, () => create(), goFirst),
    /** The calls that change one application. They reject as the guard's `check` throws. What they save names its `request`. */
    createGuardedCalls: (guard: WriteGuard) =>
      withLateCalls(APPLICATION_PARAMETERS, () => create(guardWriter(options.writer, guard))),
  }
}

/** Calls with checked arguments. If what they do cannot be loaded, the call rejects. */
export function withLateCalls<Calls extends object>(
  parameters: CallParameters<Calls>,
  load: () => Promise<Calls>,
  run?: (call: () => Promise<unknown>) => Promise<unknown>,
): Calls {
  let loaded: Calls | undefined
  const late = async (name: string, args: readonly unknown[]): Promise<unknown> => {
    loaded ??= await load()
    return Reflect.apply(loaded[name as keyof Calls] as () => unknown, loaded, args)
  }
  const names = Object.keys(parameters)
  const calls = names.map((name) => [name, (...args: readonly unknown[]) => late(name, args)] as const)
  return withCheckedArguments(parameters, Object.fromEntries(calls) as Calls, run)
}
