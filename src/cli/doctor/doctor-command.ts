import { openAdmin, StoreIncompatibleError, type AdminApi } from '../../index.js'
import { command, type Outcome } from '../command.js'
import { EXIT, reasonOf, rootOf } from '../failure.js'
import type { Place } from '../target.js'
import { columns, fold } from '../table.js'
import { configurationFinding, problem, type Check, type Finding, type Subject } from './finding.js'
import { keysCheck } from './signing-keys-check.js'
import { emailsCheck, mailerCheck } from './emails-checks.js'
import { optionsCheck } from './options-check.js'
import { nodeCheck } from './runtime-checks.js'
import { serverCheck } from './server-check.js'
import { clockCheck, fileCheck, memoryCheck, sealingCheck } from './store-checks.js'

const CHECKS: readonly Check[] = [
  nodeCheck,
  optionsCheck,
  memoryCheck,
  fileCheck,
  sealingCheck,
  keysCheck,
  clockCheck,
  mailerCheck,
  emailsCheck,
  serverCheck,
]

/** `doctor`: what is wrong here, and the cure. */
export const doctorCommand = command({
  name: 'doctor',
  summary: 'Looks for what is wrong, and says the cure of each finding. Changes nothing, sends nothing.',
  notes: [
    'It sees most with --config, on the machine and in the environment of a server: NODE_ENV=production has it ask for what production needs. --db beside it adds the mode of a SQLite file and the clock of a PostgreSQL server.',
    'Exit code 3 where it found a problem; notes are none.',
  ],
  needs: 'whatever there is',
  example: 'doctor --config platform.js --db platform.sqlite',
  async run({ place, manifest }) {
    const opening = await openStore(place)
    const production = process.env['NODE_ENV'] === 'production'
    const subject = { place, manifest, production, operations: opening.operations }
    const findings = [...opening.findings]
    const skipped: { check: string; lacks: string }[] = []
    for (const check of CHECKS) {
      const lacks = check.lacks(subject)
      if (lacks === undefined) findings.push(...(await lookInto(check, subject)))
      else skipped.push({ check: check.name, lacks })
    }
    await opening.operations?.close()
    return report({ findings, skipped, production, made: CHECKS.length + 1 - skipped.length })
  },
})

/** A store that can't be opened is a finding like others. */
async function openStore({ store }: Place): Promise<{ operations?: AdminApi; findings: readonly Finding[] }> {
  if (!store || store.kind === 'memory') return { findings: [] }
  try {
    return { operations: await openAdmin(store), findings: [] }
  } catch (error) {
    const reason = error instanceof Error ? reasonOf(rootOf(error)) : String(error)
    const found =
      error instanceof StoreIncompatibleError
        ? configurationFinding('problem', error)
        : problem(`The store is out of reach: ${reason}`, 'See that the database runs, and that its address is right.')
    return { findings: [{ ...found, check: 'store' }] }
  }
}

async function lookInto({ name, look }: Check, subject: Subject): Promise<Finding[]> {
  try {
    return (await look(subject)).map((found) => ({ ...found, check: name }))
  } catch (error) {
    const reason = error instanceof Error ? reasonOf(rootOf(error)) : String(error)
    return [{ ...problem(`This could not be looked into: ${reason}`, 'See whether the store answers.'), check: name }]
  }
}

interface Report {
  readonly findings: readonly Finding[]
  readonly skipped: readonly { readonly check: string; readonly lacks: string }[]
  readonly production: boolean
  readonly made: number
}

function report({ findings, skipped, production, made }: Report): Outcome {
  const problems = findings.filter(({ level }) => level === 'problem').length
  const paragraphs = findings.map(paragraph)
  const notLookedAt = skipped.map(({ check, lacks }) => [check, `needs ${lacks}`])
  const sum = [`${made} checks`, `${problems === 0 ? 'no' : problems} problem${problems === 1 ? '' : 's'}`].join(', ')
  const text = [
    ...(findings.length === 0 ? ['Nothing found.'] : paragraphs),
    ...(skipped.length > 0 ? [`Not looked at:\n${columns(notLookedAt, '  ')}`] : []),
    production ? `${sum}.` : `${sum}. This was no look at production: set NODE_ENV=production for that.`,
  ].join('\n\n')
  return { json: { problems, findings, skipped, production }, text, exitCode: problems > 0 ? EXIT.findings : EXIT.done }
}

function paragraph({ level, check, finding, cure }: Finding): string {
  return [
    fold(`${level.toUpperCase().padEnd(8)} ${check}: ${finding}`, '         '),
    `         ${fold(cure, '         ')}`,
  ].join('\n')
}
