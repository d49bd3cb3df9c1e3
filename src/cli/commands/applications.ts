import {
  ApplicationError,
  type AdminApi,
  type Application,
  type ApplicationStatus,
  type CredentialInfo,
} from '../../index.js'
import { didYouMean } from '../../lib/suggest.js'
import { command } from '../command.js'
import { CommandError, UsageError } from '../errors.js'
import { alignColumns, formatTime, replaceControlCharacters } from '../format.js'
import { EXAMPLE_ID } from '../program.js'
import { listEmails, type EmailInfo } from './emails.js'
import { formatExpiringBefore, readExpiring } from './expiring.js'
import { listPages, PAGING_OPTIONS } from './paging.js'

/** `apps ...`: applications and their status. */
export const applicationCommands = [
  command({
    name: 'apps list',
    summary: 'Lists applications, oldest first; deleted ones only with --status deleted.',
    requires: 'store',
    options: {
      api: { kind: 'text', placeholder: 'API', description: 'Only those that may use this API.' },
      status: {
        kind: 'text',
        placeholder: 'STATUS',
        description: 'Only those of this status: pending, active, suspended or deleted.',
      },
      expiring: {
        kind: 'text',
        placeholder: 'TIME',
        description: 'Only those with a key or secret that expires within that time, such as 30d or 12h.',
      },
      ...PAGING_OPTIONS,
    },
    example: 'apps list --db platform.sqlite --api orders --status active',
    async run({ platform, target, values: { api, status, expiring, after, limit, all } }) {
      const expiringBefore = expiring === undefined ? undefined : readExpiring(expiring)
      const filter = { api, status: status as ApplicationStatus | undefined, expiringBefore }
      return listPages(
        { after, limit, all },
        {
          async readPage(query) {
            const page = await platform.applications.list({ ...query, ...filter })
            const isEmpty = page.items.length === 0 && query.after === after
            if (isEmpty && api !== undefined) refuseUnknownApi(api, target.options?.apis)
            return page
          },
          ...(expiringBefore
            ? formatExpiringBefore(expiringBefore)
            : {
                headings: ['id', 'name', 'status', 'apis', 'contact', 'created'],
                formatRow: formatListed,
                empty: describeNoApplications(api),
              }),
        },
      )
    },
  }),
  command({
    name: 'apps show',
    summary: 'Shows an application: what it may use, its live credentials, its queued e-mails.',
    parameters: ['ID'],
    requires: 'store',
    example: `apps show ${EXAMPLE_ID} --db platform.sqlite`,
    async run({ platform, store, parameters: [id] }) {
      const application = await getApplication(platform, id)
      const emails = await listEmails(store, id)
      return { json: { application, emails }, text: formatApplication(application, emails) }
    },
  }),
  command({
    name: 'apps update',
    summary: 'Changes the name or the contact of an application.',
    notes: ['E-mails that were not accepted go to the new contact. Links that were sent to the former one end.'],
    parameters: ['ID'],
    requires: 'store',
    audited: true,
    options: {
      name: { kind: 'text', placeholder: 'NAME', description: 'Its new name.' },
      contact: { kind: 'text', placeholder: 'ADDRESS', description: 'The new address for its e-mails.' },
    },
    example: `apps update ${EXAMPLE_ID} --contact dev@shop.example --db platform.sqlite`,
    async run({ platform, by, parameters: [id], values: { name, contact } }) {
      if (name === undefined && contact === undefined) {
        throw new UsageError('Nothing to change: give --name, --contact, or both.', 'apps update')
      }
      const changes = { ...(name !== undefined && { name }), ...(contact !== undefined && { contact }), by }
      const application = await platform.applications.update(id, changes)
      return { json: { application }, text: `Updated ${formatName(application)}.` }
    },
  }),
  command({
    name: 'apps suspend',
    summary: 'Suspends an application: its credentials and access tokens are refused until "apps resume".',
    notes: ['Claim links end, and queued e-mails are not sent before it is resumed.'],
    parameters: ['ID'],
    requires: 'store',
    audited: true,
    options: {
      'revoke-tokens': {
        kind: 'flag',
        description: 'Its access tokens stay refused, also after "apps resume".',
      },
    },
    example: `apps suspend ${EXAMPLE_ID} --revoke-tokens --db platform.sqlite`,
    async run({ platform, by, parameters: [id], values: { 'revoke-tokens': revokeTokens } }) {
      const application = await platform.applications.suspend(id, { revokeTokens, by })
      return {
        json: { application },
        text: `Suspended ${formatName(application)}. Servers refuse it within a second.`,
      }
    },
  }),
  command({
    name: 'apps resume',
    summary: 'Resumes a suspended application, with the credentials it has.',
    parameters: ['ID'],
    requires: 'store',
    audited: true,
    example: `apps resume ${EXAMPLE_ID} --db platform.sqlite`,
    async run({ platform, by, parameters: [id] }) {
      const application = await platform.applications.resume(id, { by })
      return { json: { application }, text: `Resumed ${formatName(application)}.` }
    },
  }),
  command({
    name: 'apps delete',
    summary: 'Deletes an application permanently: name, contact and credentials are erased, id and audit log stay.',
    notes: ['On a terminal it asks first; elsewhere it needs --yes.'],
    parameters: ['ID'],
    requires: 'store',
    audited: true,
    options: { yes: { kind: 'flag', description: 'Does not ask.' } },
    example: `apps delete ${EXAMPLE_ID} --yes --db platform.sqlite`,
    async run({ platform, by, confirm, parameters: [id], values: { yes } }) {
      if (!yes) {
        if (!confirm) {
          throw new UsageError('Deleting cannot be undone, and without a terminal it needs --yes.', 'apps delete')
        }
        const question = `Delete ${formatName(await getApplication(platform, id))} permanently?`
        if (!(await confirm(question))) throw new CommandError('Not deleted.')
      }
      const application = await platform.applications.delete(id, { by })
      return { json: { application }, text: `Deleted ${id}.` }
    },
  }),
]

/** Only the options know all APIs: applications may still have access to one that was removed from them. */
function refuseUnknownApi(api: string, apis: object | undefined): void {
  if (apis === undefined || Object.hasOwn(apis, api)) return
  const names = Object.keys(apis)
  throw new CommandError(`There is no API "${api}".${didYouMean(api, names)} There are: ${names.join(', ')}.`)
}

function describeNoApplications(api: string | undefined): string {
  return api === undefined ? 'No applications.' : `No applications with access to an API "${api}".`
}

/** The application with that id; rejects with code `application_not_found`. */
export async function getApplication(platform: AdminApi, id: string): Promise<Application> {
  const application = await platform.applications.get(id)
  if (!application) throw new ApplicationError('application_not_found', `There is no application "${id}".`)
  return application
}

/** An application in a sentence: its name in quotes, and its id. */
export function formatName({ name, id }: Application): string {
  return name === '' ? id : `"${replaceControlCharacters(name)}" (${id})`
}

function formatListed({ id, name, status, apis, contact, createdAt }: Application): string[] {
  return [id, name || '-', status, Object.keys(apis).join(', ') || '-', contact ?? '-', formatTime(createdAt)]
}

function formatApplication(application: Application, emails: readonly EmailInfo[]): string {
  const { id, name, status, contact, apis, keys, secrets, createdAt } = application
  const grants = Object.entries(apis).map(([api, { scopes }]) => [api, ...scopes].join(' '))
  return alignColumns([
    ['id', id],
    ['name', name || '-'],
    ['status', status],
    ['contact', contact ?? '-'],
    ['created', formatTime(createdAt)],
    ...labelRows('apis', grants),
    ...labelRows('keys', keys.map(formatCredential)),
    ...labelRows('secrets', secrets.map(formatCredential)),
    ...(emails.length > 0 ? labelRows('e-mails', emails.map(formatEmail)) : []),
  ])
}

/** Rows for the values of one label, which stands in the first row; a dash if there are none. */
function labelRows(label: string, values: readonly string[]): string[][] {
  const shown = values.length > 0 ? values : ['-']
  return shown.map((value, index) => [index === 0 ? label : '', value])
}

function formatCredential({ prefix, createdAt, expiresAt, lastUsedAt }: CredentialInfo): string {
  const used = lastUsedAt ? `last used ${formatTime(lastUsedAt)}` : 'never used'
  const expires = expiresAt ? [`expires ${formatTime(expiresAt)}`] : []
  return [`${prefix}...`, `created ${formatTime(createdAt)}`, used, ...expires].join(', ')
}

function formatEmail({ purpose, state, attemptCount, problem, dueAt }: EmailInfo): string {
  const due = state === 'due' ? ` at ${formatTime(dueAt)}` : ''
  const attempts = attemptCount > 0 ? `, tried ${attemptCount}x` : ''
  return `${purpose}: ${state}${due}${attempts}${problem ? `, ${problem}` : ''}`
}
