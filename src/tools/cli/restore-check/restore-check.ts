import { command, option, type ResultPart } from '../command.js'
import { UsageError } from '../errors.js'
import { createTable, formatTime } from '../format.js'
import { EXIT_CODES } from '../program.js'
import { findTarget, openTarget, type OpenTarget, type Target } from '../target.js'
import { toComparable } from './compare-applications.js'
import { createComparison, readLacks, readRecords, type Comparison } from './read-lacks.js'

export const restoreCheckCommand = command({
  name: 'restore-check',
  summary: 'Compares a restored database with the lost one, and lists what the restore has undone. Changes no record.',
  notes: [
    'Suspensions, ended credentials, revocations and what else operators took away come first, then the rest, each with the command that makes it again (its --db or --config is left out), then the audit records since the backup. Processes may be running.',
    'The exit code is 3 if there is something to make again. Audit records do not count: they stay lost.',
  ],
  options: {
    lost: {
      ...option.text('ADDRESS', 'The lost database: postgres://..., or the path of a SQLite file.'),
      required: true,
    },
  },
  audited: false,
  example: 'restore-check --db platform.sqlite --lost lost/platform.sqlite',
  async run({ platform, store, target, values }) {
    const lostTarget = await findTarget({ db: values.lost }, {}, { name: 'restore-check', requires: 'store' })
    refuseSame(lostTarget, target)
    let lacks = 0
    async function* list(): AsyncGenerator<ResultPart> {
      let opened: OpenTarget | undefined
      try {
        opened = await openTarget(lostTarget, { requires: 'store', queuesEmails: false })
        const lost = opened.store
        const comparison = await createComparison(lost, store, (await platform.signingKeys.list()).items)
        // Read once for each list, so that memory is bounded.
        for (const first of [true, false]) {
          const formatLacks = createTable(['what', 'application', 'details', 'redo'])
          let title = first ? 'To be done again first:\n' : 'The rest:\n'
          for await (const page of readLacks(comparison, first)) {
            lacks += page.length
            const start = title
            title = ''
            const rows = page.map(({ what, applicationId = '-', details = '-', redo = '-' }) => {
              return [what, applicationId, details, redo]
            })
            yield { items: page, formatText: () => start + formatLacks(rows) }
          }
        }
        yield* listUndone(comparison)
        // A sentence for people. Scripts have the exit code.
        if (lacks === 0)
          yield { items: [], formatText: () => 'The restored database lacks nothing that would have to be done again.' }
      } finally {
        await opened?.platform.close().catch(() => undefined)
        await lostTarget.close().catch(() => undefined)
      }
    }
    return {
      parts: list(),
      get exitCode() {
        return lacks > 0 ? EXIT_CODES.problemFound : EXIT_CODES.done
      },
    }
  },
})

/** The same database lacks nothing, which would be a wrong comfort. */
function refuseSame(lost: Target, restored: Target): void {
  const address = lost.database?.address
  if (address === undefined || address !== restored.database?.address) return
  throw new UsageError('--lost names the restored database itself. Name the one that was lost.', 'restore-check')
}

async function* listUndone({ lost, common }: Comparison): AsyncGenerator<ResultPart> {
  const formatRecords = createTable(['at', 'what', 'by', 'application', 'details'])
  let title = 'Undone, by the audit log of the lost database:\n'
  for await (const records of readRecords(lost, { after: common?.id })) {
    const start = title
    title = ''
    const rows = records.map(({ at, type, by, applicationId, details }) => {
      return [formatTime(at), type, by ?? '-', applicationId ?? '-', toComparable(details)]
    })
    yield {
      items: records.map(({ at, ...record }) => ({ list: 'audit', ...record, at: new Date(at) })),
      formatText: () => start + formatRecords(rows),
    }
  }
}
