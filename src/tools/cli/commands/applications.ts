import { ApplicationError, type Application } from '../../../index.js'
import type { Api } from '../../../shared/contracts/api.js'
import { didYouMean } from '../../../shared/lib/suggest.js'
import type { AdminApi } from '../../admin/index.js'
import { command, option } from '../command.js'
import { CommandError, UsageError, EXAMPLE_ID, PROGRAM } from '../errors.js'
import { formatTime } from '../format.js'
import { formatApplication, formatListed, formatName, formatCredentials } from './application-format.js'
import { listEmails } from './emails.js'
import { listCommand } from './lists.js'
import { operationCommand } from './operation-command.js'

const SENDS_EMAIL =
  'This command sends the e-mail if the options have emails(); otherwise a running server with emails() does.'

const WAITING = {
  headings: ['id', 'name', 'contact', 'since', 'waits for'],
  formatRow({ id, name, contact, status, createdAt, accessRequests }: Application): string[] {
    const waits = [
      ...(status === 'pending' ? [{ at: createdAt, text: 'its registration' }] : []),
      ...accessRequests.map(({ api, scopes, requestedAt }) => ({
        at: requestedAt,
        text: [`access to ${api}`, ...scopes].join(' '),
      })),
    ].toSorted((one, other) => one.at.getTime() - other.at.getTime())
    return [id, name || '-', contact ?? '-', formatTime(waits[0]?.at), waits.map(({ text }) => text).join(', ')]
  },
  empty: 'Nothing waits for a decision.',
}

export const applicationCommands = [
  operationCommand('applications.create', {
    example: "--name 'Corner Shop' --api catalog --api 'orders=orders:read'",
    before({ apis, resourceServer }) {
      if (!apis && !resourceServer)
        throw new UsageError('"apps create" needs --api API[=SCOPES], or --resource-server API.', 'apps create')
    },
    text: ({ application, credentials }) =>
      `Created ${formatName(application)}.\n\n${formatCredentials(application, credentials)}`,
  }),
  operationCommand('registration.register', {
    name: 'apps register',
    notes: [
      'The options must have emails() and registration(). If an API has registration: \'manual\', the e-mail waits for "apps approve".',
    ],
    emails: {},
    without: ['terms'],
    example: "--name 'Corner Shop' --contact dev@shop.example --api catalog",
    text: ({ application }) => `Registered ${formatName(application)}.`,
  }),
  operationCommand('applications.deny', {
    notes: ['With --reason the contact gets it by e-mail; without, the contact gets nothing.', SENDS_EMAIL],
    emails: { when: ({ reason }) => reason !== undefined, isAffected: ({ purpose }) => purpose === 'rejected' },
    example: "--reason 'No contract'",
    text: (application, { id, api }) =>
      `Denied ${api === undefined ? id : `${formatName(application)} access to ${api}`}.`,
  }),
  operationCommand('applications.approve', {
    notes: [SENDS_EMAIL],
    requires: 'options',
    emails: {},
    example: '--config platform.js --by alice',
    text: (application, { api }) =>
      `${api === undefined ? 'Approved' : `Approved access to ${api} for`} ${formatName(application)}.`,
  }),
  listCommand('applications.list', {
    example: '--db platform.sqlite --api orders --status active',
    list({ api, expiringBefore, waiting }) {
      if (expiringBefore !== undefined) return formatExpiringBefore(new Date(expiringBefore))
      if (waiting) return WAITING
      return {
        headings: ['id', 'name', 'status', 'apis', 'contact', 'created'],
        formatRow: formatListed,
        empty: api === undefined ? 'No applications.' : `No applications with access to an API "${api}".`,
      }
    },
    whenEmpty: ({ api }, { target }) => refuseUnknownApi(api, target.options?.apis),
  }),
  command({
    name: 'apps show',
    summary: 'Shows an application: what it may use, its live credentials, its queued e-mails.',
    parameters: ['ID'],
    audited: false,
    example: `apps show ${EXAMPLE_ID} --db platform.sqlite`,
    async run({ platform, store, parameters: [id] }) {
      const application = await getApplication(platform, id)
      const emails = await listEmails(store, id)
      return { json: { application, emails }, text: formatApplication(application, emails) }
    },
  }),
  operationCommand('applications.update', {
    summary: "Changes an application's name, first contact, language, metadata or external id.",
    notes: [
      'E-mails that were not accepted go to the new contact. Links that were sent to the former one end.',
      '--metadata needs --config, whose metadata option validates it; --metadata null removes it.',
      '--resource-server needs --config, whose apis it names.',
    ],
    without: ['networks', 'rateLimits'],
    needsChange: true,
    example: '--contact dev@shop.example',
    before({ metadata, resourceServer }, { target }) {
      if (target.options !== undefined) return
      if (metadata !== undefined)
        throw new UsageError('--metadata needs --config MODULE, whose metadata option validates it.', 'apps update')
      if (resourceServer)
        throw new UsageError('--resource-server needs --config MODULE, whose apis it names.', 'apps update')
    },
    text: (application) => `Updated ${formatName(application)}.`,
  }),
  operationCommand('applications.suspend', {
    notes: [
      'Claim links end, and queued e-mails are not sent before it is resumed.',
      'With --notify, this command sends the e-mail if the options have emails(); otherwise a running server with emails() does.',
    ],
    emails: { when: ({ notify }) => notify === true, isAffected: ({ purpose }) => purpose === 'suspended' },
    example: '--reason Unpaid --notify',
    text: (application) => `Suspended ${formatName(application)}. Servers refuse it within a second.`,
  }),
  operationCommand('applications.resume', { text: (application) => `Resumed ${formatName(application)}.` }),
  operationCommand('applications.delete', {
    notes: ['On a terminal it asks first; elsewhere it needs --yes.'],
    options: { yes: option.flag('Does not ask.') },
    example: '--yes',
    async before({ id }, { platform, confirm, values: { yes } }) {
      if (yes) return
      if (!confirm)
        throw new UsageError('Deleting cannot be undone, and without a terminal it needs --yes.', 'apps delete')
      const question = `Delete ${formatName(await getApplication(platform, id))} permanently?`
      if (!(await confirm(question))) throw new CommandError('Not deleted.')
    },
    text: (_, { id }) => `Deleted ${id}.`,
  }),
  operationCommand('applications.allow', {
    without: ['rateLimit'],
    example: '--scope orders:read',
    text(application, { id, api }, { platform }) {
      const name = api!
      const scopes = application.apis[name]?.scopes ?? []
      const text = `${formatName(application)} may use ${name}${scopes.length > 0 ? ` with ${scopes.join(' ')}` : ''}.`
      const { apis = [] } = platform as { apis?: readonly Pick<Api, 'name' | 'clientAuthentication'>[] }
      const { clientAuthentication = [] } = apis.find((each) => each.name === name) ?? {}
      if (clientAuthentication.length === 0 || application.secrets.length > 0) return text
      return clientAuthentication.every((method) => method === 'private_key_jwt')
        ? `${text}\nIt has no key set yet, and ${name} needs one: ${PROGRAM} apps add-key-set ${id}`
        : `${text}\nIt has no secret yet, and ${name} needs one: ${PROGRAM} apps rotate-secret ${id}`
    },
  }),
  operationCommand('applications.disallow', {
    async before({ id, api = '' }, { platform }) {
      const { apis } = await getApplication(platform, id)
      if (Object.hasOwn(apis, api)) return
      const allowed = Object.keys(apis)
      const list = allowed.length > 0 ? `It may use ${allowed.join(', ')}.` : 'It may use none.'
      const hint = didYouMean(api, allowed)
      throw new CommandError(`Application ${id} may not use "${api}" anyway. ${list}${hint}`)
    },
    text: (application, { api }) => `${formatName(application)} may no longer use ${api}.`,
  }),
  operationCommand('applications.revokeTokens', {
    notes: ['It can get new ones with its credentials. "apps suspend" prevents that too.'],
    text: (application) => `Every access token issued to ${formatName(application)} up to now is refused.`,
  }),
  operationCommand('applications.addContact', {
    text: (application, { address }) => `${address} is a contact of ${formatName(application)}.`,
  }),
  operationCommand('applications.removeContact', {
    notes: [
      'After the first contact was removed, the next one receives the e-mails. The only contact cannot be removed.',
    ],
    text: (application, { address }) => `${address} is no longer a contact of ${formatName(application)}.`,
  }),
  operationCommand('portal.invite', {
    name: 'apps invite-contact',
    notes: [
      'The options must have emails() and portal(). This command sends the e-mail; if that fails, a running server does.',
      'Another invitation of the same address ends the earlier one.',
    ],
    emails: { isAffected: ({ recipient }, { address }) => recipient === address },
    text: (application, { address }) => `Invited ${address} to ${formatName(application)}.`,
  }),
  operationCommand('applications.cancelInvitation', {
    example: `apps cancel-invitation ${EXAMPLE_ID} a@b.example --db platform.sqlite`,
    text: (_, { address }) => `The invitation of ${address} has ended.`,
  }),
]

/** Lists the APIs of the options. Applications may still have access to an API that was removed from the options. */
function refuseUnknownApi(api: string | undefined, apis: object | undefined): void {
  if (api === undefined || apis === undefined || Object.hasOwn(apis, api)) return
  const names = Object.keys(apis)
  throw new CommandError(`There is no API "${api}".${didYouMean(api, names)} There are: ${names.join(', ')}.`)
}

export async function getApplication(platform: Pick<AdminApi, 'applications'>, id: string): Promise<Application> {
  const application = await platform.applications.get(id)
  if (!application) throw new ApplicationError('application_not_found', `There is no application "${id}".`)
  return application
}

function formatExpiringBefore(time: Date) {
  return {
    headings: ['id', 'name', 'status', 'contact', 'expires', 'credential'],
    formatRow({ id, name, status, contact, keys, secrets }: Application): string[] {
      const all = [
        ...keys.map((key) => ({ kind: 'key', ...key })),
        ...secrets.map((each) => ({ kind: 'secret', ...each })),
      ]
      const expiring = all
        .filter(({ expiresAt }) => expiresAt && expiresAt < time)
        .toSorted((one, other) => Number(one.expiresAt) - Number(other.expiresAt))
      const [first] = expiring
      const label = first ? `${first.kind} ${first.name} (${first.prefix}...)` : '-'
      const more = expiring.length > 1 ? ` and ${expiring.length - 1} more` : ''
      return [id, name || '-', status, contact ?? '-', formatTime(first?.expiresAt), label + more]
    },
    empty: `No credential expires before ${formatTime(time)}.`,
  }
}
