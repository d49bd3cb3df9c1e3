import { command, option } from '../command.js'
import { UsageError } from '../errors.js'
import { parseTime } from '../format.js'
import { EXAMPLE_ID } from '../program.js'
import { formatLimits, formatName } from './application-format.js'

/** `apps ...`: the networks and limits that an application's contract names. */
export const contractCommands = [
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
