import { openAdmin, type AdminApi } from '../../admin/index.js'
import { StoreIncompatibleError } from '../../../index.js'
import { command, type CommandResult } from '../command.js'
import { describeRootCause, describeUnavailableStore } from '../errors.js'
import { alignColumns, toPlainLine, wrapText } from '../format.js'
import { EXIT_CODES } from '../program.js'
import type { Target } from '../target.js'
import { FEATURE_CHECKS } from './feature-checks.js'
import { emailsCheck } from './email-checks.js'
import { problem, requireStore, toFinding, type Check, type CheckContext, type Finding } from './finding.js'
import { APPLICATION_CHECKS } from './application-checks.js'
import { serverCheck } from './server-check.js'
import { SERVICE_CHECKS } from './service-checks.js'
import { STARTUP_CHECKS } from './startup-checks.js'
import { STORE_CHECKS } from './store-checks.js'

const CHECKS: readonly Check[] = [
  ...STARTUP_CHECKS,
  ...STORE_CHECKS,
  ...SERVICE_CHECKS,
  ...FEATURE_CHECKS,
  emailsCheck,
  ...APPLICATION_CHECKS,
  serverCheck,
]

/** `doctor`: runs every check and reports what is wrong, and how to fix it. */
export const doctorCommand = command({
  name: 'doctor',
  summary: 'Reports what is wrong, and how to fix it. Changes no record, sends no e-mail.',
  notes: [
    'Run it with --config where a server runs, in its environment: with NODE_ENV=production it checks what production requires. Adding --db also checks the mode of a SQLite file and the clock of a PostgreSQL server.',
    'The exit code is 3 if it found a problem. Notes are not problems.',
  ],
  requires: 'target',
  audited: false,
  example: 'doctor --config platform.js --db platform.sqlite',
  async run({ target, manifest }) {
    const { admin, findings } = await openStore(target)
    const context = { target, manifest, admin, production: process.env['NODE_ENV'] === 'production' }
    const skipped: SkippedCheck[] = []
    for (const check of CHECKS) {
      const requires = (check.findMissing ?? requireStore)(context)
      if (requires === undefined) findings.push(...(await runCheck(check, context)))
      else skipped.push({ check: check.name, requires })
    }
    await admin?.close()
    return createReport(findings, skipped, context)
  },
})

/** Opening the store is a check too: the others run even if it fails. */
async function openStore({ store }: Target): Promise<{ admin?: AdminApi; findings: Finding[] }> {
  if (!store || store.kind === 'memory') return { findings: [] }
  try {
    return { admin: await openAdmin(store), findings: [] }
  } catch (error) {
    const unavailable = describeUnavailableStore(error)
    const result =
      error instanceof StoreIncompatibleError
        ? toFinding('problem', error)
        : problem(unavailable.problem, unavailable.fix)
    return { findings: [{ ...result, check: 'store' }] }
  }
}

async function runCheck({ name, run }: Check, context: CheckContext): Promise<Finding[]> {
  try {
    return [await run(context)].flat().map((result) => ({ ...result, check: name }))
  } catch (error) {
    const result = problem(`This check failed: ${describeRootCause(error)}`, 'Check that the store answers.')
    return [{ ...result, check: name }]
  }
}

interface SkippedCheck {
  readonly check: string
  /** The part that the check needs and does not have. */
  readonly requires: string
}

function createReport(
  findings: readonly Finding[],
  skipped: readonly SkippedCheck[],
  { production }: CheckContext,
): CommandResult {
  const problems = findings.filter(({ level }) => level === 'problem').length
  // Opening the store counts as a check.
  const checkCount = CHECKS.length + 1 - skipped.length
  const summary = `${checkCount} checks, ${problems === 0 ? 'no' : problems} problem${problems === 1 ? '' : 's'}.`
  const skippedRows = skipped.map(({ check, requires }) => [check, `needs ${requires}`])
  const text = [
    ...(findings.length === 0 ? ['Nothing found.'] : findings.map(formatFinding)),
    ...(skipped.length > 0 ? [`Not checked:\n${alignColumns(skippedRows, '  ')}`] : []),
    production ? summary : `${summary} Set NODE_ENV=production to check what production requires too.`,
  ].join('\n\n')
  const exitCode = problems > 0 ? EXIT_CODES.problemFound : EXIT_CODES.done
  return { json: { problems, findings, skipped, production }, text, exitCode }
}

function formatFinding({ level, check, finding, fix }: Finding): string {
  const indent = ' '.repeat(9)
  const start = level.toUpperCase().padEnd(indent.length)
  return `${wrapText(start + toPlainLine(`${check}: ${finding}`), indent)}\n${indent}${wrapText(toPlainLine(fix), indent)}`
}
