import { command, option } from '../command.js'
import { UsageError, EXAMPLE_ID } from '../errors.js'
import { parseTime, alignColumns, formatTime } from '../format.js'
import { formatLimits, formatName } from './application-format.js'
import { listPlanNames, type Target } from '../target.js'
import { firstOfMonth, formatDay } from '../../../shared/lib/day.js'
import { getApplication } from './applications.js'
import { listCommand } from './lists.js'
import { findOperation, run } from './operation-command.js'

export const contractCommands = [
  command({
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
      const names = listPlanNames(target.options)
      if (typeof plan === 'string' && names && !names.includes(plan))
        throw new UsageError(`The options have no plan "${plan}". There are: ${names.join(', ')}.`, 'apps plan')
      if (plan !== undefined) {
        await run(findOperation('plans.set'), platform, { id, plan }, by)
      }
      const application = await getApplication(platform, id)
      const today = formatDay(Date.now())
      const days = (await store.quotas?.list(id, firstOfMonth(today), today)) ?? []
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
  }),
  listCommand('plans.list', {
    name: 'quotas',
    notes: [
      'Processes store what they have counted every 5 seconds.',
      'Needs --config: the options have the limits of the plans.',
    ],
    members: { above: { placeholder: 'PERCENT' } },
    example: '--above 80',
    list: ({ above = 80 }) => ({
      headings: ['application', 'name', 'plan', 'used', 'of', 'percent', 'ends'],
      formatRow: ({ applicationId, name, plan, used, limit, per, share, endsAt }) => {
        return [applicationId, name, plan, String(used), `${limit} a ${per}`, String(share), formatTime(endsAt)]
      },
      empty: `No quota is used above ${above} percent.`,
    }),
  }),
  command({
    name: 'apps networks',
    summary: 'Restricts an application, or one of its credentials, to networks; elsewhere it gets 403.',
    notes: [
      'NETWORKS is a list such as 203.0.113.0/24,2001:db8::/32, or any.',
      'Servers compare req.ip: "doctor" says whether "trust proxy" fits the proxies in front.',
    ],
    parameters: ['ID', 'NETWORKS'],
    options: {
      credential: option.text(
        'CREDENTIAL',
        'The credential (cred_...) that is restricted, in place of the whole application.',
      ),
    },
    example: `apps networks ${EXAMPLE_ID} 203.0.113.0/24 --db platform.sqlite`,
    async run({ platform, by, parameters: [id, text], values: { credential } }) {
      const { update, updateCredential } = platform.applications
      const networks = text === 'any' ? null : text.split(',')
      const application = await (credential === undefined
        ? update(id, { networks, by })
        : updateCredential(id, credential, { networks, by }))
      const who = credential === undefined ? formatName(application) : `The credential ${credential}`
      const where = networks === null ? 'from any network' : `from ${networks.join(', ')} only`
      return { json: { application }, text: `${who} may be used ${where}. Servers follow within a second.` }
    },
  }),
  command({
    name: 'apps limit',
    summary: "Gives an application a limit of its own, in place of an API's.",
    notes: [
      "LIMIT is requests and seconds, such as 50/1, or none for the API's own.",
      "API may be '*': every API without a limit of its own.",
    ],
    parameters: ['ID', 'API', 'LIMIT'],
    options: {
      until: option.text(
        'TIME',
        "When the API's own limit counts again: a date (its start in UTC), or a time in ISO 8601.",
      ),
    },
    example: `apps limit ${EXAMPLE_ID} orders 50/1 --until 2027-01-31 --db my.sqlite`,
    async run({ platform, by, parameters: [id, api, text], values: { until } }) {
      const limit = parseLimit(text)
      const end = until === undefined ? undefined : parseTime('--until', until)
      const rateLimits = { [api]: limit && { ...limit, until: end } }
      const application = await platform.applications.update(id, { rateLimits, by })
      const own = application.rateLimits[api]
      const [shown = "the API's own limits"] = own ? formatLimits({ rateLimits: { [api]: own } }) : []
      return { json: { application }, text: `${formatName(application)} has ${shown}. Servers follow within a second.` }
    },
  }),
]

function parseLimit(text: string): { limit: number; window: number } | null {
  if (text === 'none') return null
  const [, limit, window] = /^(\d{1,15})\/(\d{1,15})$/.exec(text) ?? []
  if (window !== undefined) return { limit: Number(limit), window: Number(window) }
  throw new UsageError(`${text} is no limit. Write requests and seconds, such as 50/1, or none.`, 'apps limit')
}

function describeChange(plan: string | null | undefined, { options }: Target): string[] {
  if (plan === undefined) return []
  if (plan === null || listPlanNames(options)) return ['Servers follow within a second.']
  return [
    `Servers follow within a second. Those whose plans() have no "${plan}" answer 500: --config checks the name beforehand.`,
  ]
}
