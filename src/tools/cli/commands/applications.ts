import type { AdminApi } from '../../admin/index.js'
import { type Application, ApplicationError, type ApplicationStatus, type Language } from '../../../index.js'
import { didYouMean } from '../../../shared/lib/suggest.js'
import { command, option } from '../command.js'
import { CommandError, UsageError } from '../errors.js'
import { EXAMPLE_ID } from '../program.js'
import { formatApplication, formatListed, formatName } from './application-format.js'
import { describeEmail, listEmails, waitForEmails } from './emails.js'
import { formatExpiringBefore, readExpiring } from './expiring.js'
import { LANGUAGE_OPTION } from './language.js'
import { OPERATOR_DATA_OPTIONS, readMetadata } from './operator-data.js'
import { PAGING_OPTIONS, listPages } from './paging.js'

/** `apps ...`: applications and their status. */
export const applicationCommands = [
  command({
    name: 'apps list',
    summary:
      'Lists applications: oldest first, with --name by name, with --expiring what expires first; deleted ones only with --status deleted.',
    options: {
      api: option.text('API', 'Only those that may use this API.'),
      status: option.text('STATUS', 'Only those of this status: pending, active, suspended or deleted.'),
      'external-id': option.text('ID', 'Only the one with this id of your own.'),
      name: option.text('NAME', 'Only those whose name begins with this.'),
      contact: option.text('ADDRESS', 'Only those of which this is a contact.'),
      plan: option.text('NAME', 'Only those that have this plan.'),
      expiring: option.text(
        'TIME',
        'Only those with a key or secret that expires within that time, such as 30d or 12h.',
      ),
      ...PAGING_OPTIONS,
    },
    audited: false,
    example: 'apps list --db platform.sqlite --api orders --status active',
    async run({ platform, target, values }) {
      const { api, status, name, contact, plan, expiring, after, limit, all, 'external-id': externalId } = values
      const expiringBefore = expiring === undefined ? undefined : readExpiring(expiring)
      const filter = {
        api,
        status: status as ApplicationStatus | undefined,
        externalId,
        name,
        contact,
        plan,
        expiringBefore,
      }
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
    audited: false,
    example: `apps show ${EXAMPLE_ID} --db platform.sqlite`,
    async run({ platform, store, parameters: [id] }) {
      const application = await getApplication(platform, id)
      const emails = await listEmails(store, id)
      return { json: { application, emails }, text: formatApplication(application, emails) }
    },
  }),
  command({
    name: 'apps update',
    summary: "Changes an application's name, first contact, language, metadata or external id.",
    notes: [
      'E-mails that were not accepted go to the new contact. Links that were sent to the former one end.',
      '--metadata needs --config, whose metadata option validates it; --metadata null removes it.',
    ],
    parameters: ['ID'],
    options: {
      name: option.text('NAME', 'Its new name.'),
      contact: option.text('ADDRESS', 'The new address for its e-mails.'),
      language: LANGUAGE_OPTION,
      ...OPERATOR_DATA_OPTIONS,
      'remove-external-id': option.flag('It has no external id any more.'),
    },
    example: `apps update ${EXAMPLE_ID} --contact dev@shop.example --db platform.sqlite`,
    async run({ platform, target, by, parameters: [id], values }) {
      const changes = await readChanges(values, target.options !== undefined)
      const application = await platform.applications.update(id, { ...changes, by })
      return { json: { application }, text: `Updated ${formatName(application)}.` }
    },
  }),
  command({
    name: 'apps suspend',
    summary: 'Suspends an application: its credentials and access tokens are refused until "apps resume".',
    notes: [
      'Claim links end, and queued e-mails are not sent before it is resumed.',
      'With --notify, this command sends the e-mail if the options have emails(); otherwise a running server with emails() does.',
    ],
    parameters: ['ID'],
    queuesEmails: ({ notify }) => notify === true,
    options: {
      'revoke-tokens': option.flag('Its access tokens stay refused, also after "apps resume".'),
      reason: option.text('TEXT', 'Up to 500 characters for the audit log, and for the e-mail.'),
      notify: option.flag('Tells the contact by e-mail.'),
    },
    example: `apps suspend ${EXAMPLE_ID} --reason Unpaid --notify --db platform.sqlite`,
    async run(context) {
      const { platform, by, parameters, values } = context
      const [id] = parameters
      const { 'revoke-tokens': revokeTokens, reason, notify } = values
      const application = await platform.applications.suspend(id, { revokeTokens, reason, notify, by })
      const text = `Suspended ${formatName(application)}. Servers refuse it within a second.`
      if (!notify) return { json: { application }, text }
      const emails = await waitForEmails(context, id, ({ purpose }) => purpose === 'suspended')
      return { json: { application, emails }, text: `${text}\n${describeEmail(id, emails, context)}` }
    },
  }),
  command({
    name: 'apps resume',
    summary: 'Resumes a suspended application, with the credentials it has.',
    parameters: ['ID'],
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
    options: { yes: option.flag('Does not ask.') },
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

interface UpdateValues {
  readonly name: string | undefined
  readonly contact: string | undefined
  readonly language: string | undefined
  readonly metadata: string | undefined
  readonly 'external-id': string | undefined
  readonly 'remove-external-id': boolean
}

async function readChanges(
  values: UpdateValues,
  hasOptions: boolean,
): Promise<Parameters<AdminApi['applications']['update']>[1]> {
  const { name, contact, language, metadata } = values
  const { 'external-id': externalId, 'remove-external-id': removesExternalId } = values
  const isUnchanged = [name, contact, language, metadata, externalId].every((value) => value === undefined)
  if (isUnchanged && !removesExternalId) {
    throw new UsageError(
      'Nothing to change: give --name, --contact, --language, --metadata or --external-id.',
      'apps update',
    )
  }
  if (externalId !== undefined && removesExternalId) {
    throw new UsageError('Give --external-id or --remove-external-id, not both.', 'apps update')
  }
  if (metadata !== undefined && !hasOptions) {
    throw new UsageError('--metadata needs --config MODULE, whose metadata option validates it.', 'apps update')
  }
  return {
    ...(name !== undefined && { name }),
    ...(contact !== undefined && { contact }),
    ...(language !== undefined && { language: language as Language }),
    ...(metadata !== undefined && { metadata: await readMetadata(metadata, 'apps update') }),
    ...(externalId !== undefined && { externalId }),
    ...(removesExternalId && { externalId: null }),
  }
}

/** Lists the APIs of the options. Applications may still have access to an API that was removed from the options. */
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
