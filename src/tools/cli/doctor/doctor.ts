import { openAdmin, type AdminApi } from '../../admin/index.js'
import { StoreIncompatibleError } from '../../../index.js'
import { command, type CommandResult } from '../command.js'
import { describeRootCause, describeUnavailableStore, EXIT_CODES } from '../errors.js'
import { alignColumns, toPlainLine, wrapText } from '../format.js'
import type { Target } from '../target.js'
import { checkCredentialAge, checkExpiry, checkKeySets, checkProve, checkScopes } from './application-checks.js'
import { checkEmails, checkFeatures, checkImports, checkProcesses, checkReports, checkParts } from './feature-checks.js'
import { problem, toResult, type CheckContext, type CheckResults, type Finding } from './finding.js'
import { checkServer, checkDatabase, checkRedis } from './service-checks.js'
import { checkNode, checkStartup } from './startup-checks.js'
import { checkChangeFeed, checkClock, checkEncryption, checkFileMode, checkMemory, checkKeys } from './store-checks.js'

const PARTS = {
  '--config': ({ target }: CheckContext) => target.options,
  '--db': ({ target }: CheckContext) => target.database,
  'a store that can be opened': ({ admin }: CheckContext) => admin,
}
const STORE = 'a store that can be opened'

interface Check {
  readonly name: string
  readonly needs: readonly (keyof typeof PARTS)[]
  run(context: CheckContext): Promise<CheckResults> | CheckResults
}

const CHECKS: readonly Check[] = [
  { name: 'node', needs: [], run: checkNode },
  { name: 'options', needs: ['--config'], run: checkStartup },
  { name: 'memory store', needs: [], run: checkMemory },
  { name: 'file mode', needs: ['--db'], run: checkFileMode },
  { name: 'change feed', needs: [STORE], run: checkChangeFeed },
  { name: 'encryption at rest', needs: [STORE], run: checkEncryption },
  { name: 'signing keys', needs: [STORE], run: checkKeys },
  { name: "the database's clock", needs: ['--db', STORE], run: checkClock },
  { name: 'database', needs: [STORE], run: checkDatabase },
  { name: 'redis', needs: ['--config'], run: checkRedis },
  { name: 'imported credentials', needs: [STORE], run: checkImports },
  { name: 'features', needs: ['--config'], run: checkFeatures },
  { name: 'stored without a feature', needs: ['--config', STORE], run: checkParts },
  { name: 'processes', needs: [STORE], run: checkProcesses },
  { name: 'guards that only report', needs: [STORE], run: checkReports },
  { name: 'e-mails', needs: [STORE], run: checkEmails },
  { name: 'expiring credentials', needs: [STORE], run: checkExpiry },
  { name: 'age of credentials', needs: ['--config', STORE], run: checkCredentialAge },
  { name: 'addresses of key sets', needs: ['--config', STORE], run: checkKeySets },
  { name: 'scopes', needs: ['--config', STORE], run: checkScopes },
  { name: 'applications of prove', needs: [STORE], run: checkProve },
  { name: 'the server at baseUrl', needs: ['--config'], run: checkServer },
]

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
    const skipped: { readonly check: string; readonly requires: string }[] = []
    for (const check of CHECKS) {
      const requires = check.needs.find((part) => PARTS[part](context) === undefined)
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
    const found = error instanceof StoreIncompatibleError ? error : describeUnavailableStore(error)
    return { findings: [{ ...toResult('problem', found), check: 'store' }] }
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

function createReport(
  findings: readonly Finding[],
  skipped: readonly { readonly check: string; readonly requires: string }[],
  { production }: CheckContext,
): CommandResult {
  const problems = findings.filter(({ level }) => level === 'problem').length
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
