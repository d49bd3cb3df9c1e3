import { command, option } from '../command.js'
import { UsageError } from '../errors.js'
import { alignColumns, formatTime } from '../format.js'
import { EXAMPLE_ID } from '../program.js'
import { listPlanNames, type Target } from '../target.js'
import { formatDay } from '../../../shared/lib/day.js'
import { getApplication } from './applications.js'
import { listCommand } from './lists.js'
import { findOperation, run } from './operation-command.js'

export const planCommand = command({
  name: 'apps plan',
  summary: "Shows an application's plan and the units that it has used this month, or gives it another plan.",
  notes: [
    'Processes store what they have counted every 5 seconds, and know of another plan within a second.',
    'With --config, the plan must be one of plans() in its features.',
  ],
  parameters: ['ID', '[PLAN]'],
  options: { none: option.flag('It has no plan any more.') },
  example: `apps plan ${EXAMPLE_ID} gold --db platform.sqlite`,
  async run({ platform, store, target, by, parameters: [id, given], values: { none } }) {
    if (none && given !== undefined) throw new UsageError('Give a plan or --none.', 'apps plan')
    const plan = none ? null : given
    if (plan !== undefined) {
      refuseUnknown(plan, target)
      await run(findOperation('plans.set'), platform, { id, plan }, by)
    }
    const application = await getApplication(platform, id)
    const today = formatDay(Date.now())
    const days = (await store.quotas?.list(id, `${today.slice(0, 8)}01`, today)) ?? []
    const usedThisMonth = days.reduce((sum, { count }) => sum + count, 0)
    const usedToday = days.find(({ day }) => day === today)?.count ?? 0
    return {
      json: { applicationId: id, plan: application.plan ?? null, usedToday, usedThisMonth },
      text: [
        alignColumns([
          ['plan', application.plan ?? '-'],
          ['used today', String(usedToday)],
          ['used this month', String(usedThisMonth)],
        ]),
        ...describeChange(plan, target),
      ].join('\n'),
    }
  },
})

export const quotasCommand = listCommand('plans.list', {
  name: 'quotas',
  notes: [
    'Processes store what they have counted every 5 seconds.',
    'Needs --config: the options have the limits of the plans.',
  ],
  members: { above: { placeholder: 'PERCENT' } },
  example: 'quotas --above 80 --config platform.js',
  list: ({ above = 80 }) => ({
    headings: ['application', 'name', 'plan', 'used', 'of', 'percent', 'ends'],
    formatRow: ({ applicationId, name, plan, used, limit, per, share, endsAt }) => [
      applicationId,
      name,
      plan,
      String(used),
      `${limit} a ${per}`,
      String(share),
      formatTime(endsAt),
    ],
    empty: `No quota is used above ${above} percent.`,
  }),
})

function refuseUnknown(plan: string | null, { options }: Target): void {
  const names = listPlanNames(options)
  if (plan === null || !names || names.includes(plan)) return
  throw new UsageError(`The options have no plan "${plan}". There are: ${names.join(', ')}.`, 'apps plan')
}

/** What servers do with a plan that was given or taken away. */
function describeChange(plan: string | null | undefined, { options }: Target): string[] {
  if (plan === undefined) return []
  if (plan === null || listPlanNames(options)) return ['Servers follow within a second.']
  return [
    `Servers follow within a second. Those whose plans() have no "${plan}" answer 500: --config checks the name beforehand.`,
  ]
}
