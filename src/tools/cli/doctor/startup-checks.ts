import { checkOptions, ConfigurationError, memoryStore, type ConfigurationProblem } from '../../../index.js'
import { limitWait, startPlatform } from '../target.js'
import { problem, toResult, type CheckContext, type CheckResult } from './finding.js'
import type { Store, StorePart, StoreWith } from '../../../store.js'

export function checkNode({ manifest }: CheckContext) {
  const { node } = manifest.engines
  if (isVersionInRange(process.versions.node, node)) return []
  return problem(
    `Node ${process.versions.node} is not supported; these are: ${node}.`,
    'Run servers and this program on a supported version.',
  )
}

const PLATFORM_CLOSE_TIMEOUT_MS = 10_000

/** Whether a platform starts with these options and this store, and what its `health()` reports. Nothing in the store is changed. */
export async function checkStartup({ target: { options, store }, admin, production }: CheckContext) {
  const { error: invalid, warnings } = checkOptions({ ...options!, store })
  // An error about the same option says more than its warning.
  const report = (error?: ConfigurationProblem): CheckResult[] => [
    ...warnings
      .filter(({ option }) => !error || option !== error.option)
      .map((warning) => toResult(production ? 'problem' : 'note', warning)),
    ...(error ? [toResult('problem', error)] : []),
  ]
  if (invalid) return report(invalid)
  const trialStore = store && (admin ? await createReadOnlyStore(store) : { ...memoryStore(), kind: store.kind })
  try {
    const auth = await startPlatform({ ...options!, store: trialStore, background: false })
    const { problems } = await auth.health()
    await limitWait(auth.close(), PLATFORM_CLOSE_TIMEOUT_MS)
    return [
      ...report(),
      ...problems.map((each) => problem(each, 'Every server on this store reports it in health() and its log.')),
    ]
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    return report(error)
  }
}

export function isVersionInRange(version: string, range: string): boolean {
  return range.split('||').some((part) => {
    const [lowest = '0'] = /\d+(?:\.\d+)*/.exec(part) ?? []
    const hasMajor = !part.includes('^') || version.split('.', 1)[0] === lowest.split('.', 1)[0]
    return hasMajor && version.localeCompare(lowest, 'en', { numeric: true }) >= 0
  })
}

const nothing = async (): Promise<undefined> => undefined

/** The calls of a store that change something. Each is answered as if another process had just made the change, or as if there were nothing to do. */
const WRITES: Partial<Store> = {
  open: nothing,
  close: nothing,
  replaceSecret: async () => false,
  addSigningKey: async () => false,
  resealSigningKey: async () => false,
  removeSigningKey: async () => false,
  saveApplication: async () => false,
  noteCredentialUse: nothing,
  revokeAccessToken: nothing,
  deleteAudit: async () => 0,
  // Leaves nothing for the platform's cleanup to delete.
  listApplications: async () => [],
  // A check of its own reports what is wrong with the change feed.
  changesSince: async () => ({ cursor: '', changes: [] }),
}

const PART_WRITES: { readonly [Name in StorePart]: Partial<StoreWith[Name]> } = {
  // There are no reminders to queue either.
  emails: { lease: nothing, save: async () => false, listExpiring: async () => [] },
  usage: { add: nothing, addRefusals: nothing, addReported: nothing, deleteExpired: async () => 0 },
  quotas: { add: async (_, counts) => counts.map(() => ({ ofDay: 0, ofMonth: 0 })), deleteExpired: async () => 0 },
  signIns: { add: nothing, countGuess: nothing, remove: async () => false, addSignOut: nothing },
  imports: { add: async (applications) => applications.map(() => 'exists'), replaceHash: async () => false },
  // A check of its own compares the options with the processes that run.
  processes: { announce: nothing, list: async () => [], remove: nothing },
  assertions: { add: async () => 'known' },
}

/** The same store for a platform that is started on trial: its writes change nothing. */
export async function createReadOnlyStore(store: Store): Promise<Store> {
  const hasStarted = (await store.listSigningKeys()).length > 0
  const establishSecret: Store['establishSecret'] = async (name, sealed) =>
    // A store with signing keys has its secrets. In a store without them, this call would set one.
    hasStarted ? store.establishSecret(name, sealed) : sealed
  const parts = Object.entries(PART_WRITES).flatMap(([name, writes]) => {
    const part = store[name as StorePart]
    return part ? [[name, replaceMembers<object>(part, writes)]] : []
  })
  return replaceMembers(store, { ...WRITES, establishSecret, ...Object.fromEntries(parts) })
}

function replaceMembers<Part extends object>(part: Part, replaced: Partial<Part>): Part {
  return new Proxy({} as Part, {
    get: (_, name) => Reflect.get(Object.hasOwn(replaced, name) ? replaced : part, name) as unknown,
    has: (_, name) => name in part,
  })
}
