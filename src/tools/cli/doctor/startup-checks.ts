import { checkOptions, ConfigurationError, memoryStore, type ConfigurationProblem } from '../../../index.js'
import { limitWait, startPlatform } from '../target.js'
import { problem, toFinding, type CheckContext, type CheckResult, type CheckResults } from './finding.js'
import { createReadOnlyStore } from './read-only-store.js'

export function checkNode({ manifest }: CheckContext): CheckResults {
  const { node } = manifest.engines
  if (isVersionInRange(process.versions.node, node)) return []
  return problem(
    `Node ${process.versions.node} is not supported; these are: ${node}.`,
    'Run servers and this program on a supported version.',
  )
}

const PLATFORM_CLOSE_TIMEOUT_MS = 10_000

/** Whether a platform starts with these options and this store, and what its `health()` reports. Nothing in the store is changed. */
export async function checkStartup({
  target: { options, store },
  admin,
  production,
}: CheckContext): Promise<CheckResults> {
  const { error: invalid, warnings } = checkOptions({ ...options!, store })
  // An error about the same option says more than its warning.
  const report = (error?: ConfigurationProblem): CheckResult[] => [
    ...warnings
      .filter(({ option }) => !error || option !== error.option)
      .map((warning) => toFinding(production ? 'problem' : 'note', warning)),
    ...(error ? [toFinding('problem', error)] : []),
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

/** Whether a version is in a range of the forms that package.json uses: `^1.2.3` and `>=1.2.3`, joined by `||`. */
export function isVersionInRange(version: string, range: string): boolean {
  return range.split('||').some((part) => {
    const [lowest = '0'] = /\d+(?:\.\d+)*/.exec(part) ?? []
    const hasMajor = !part.includes('^') || version.split('.', 1)[0] === lowest.split('.', 1)[0]
    return hasMajor && version.localeCompare(lowest, 'en', { numeric: true }) >= 0
  })
}
