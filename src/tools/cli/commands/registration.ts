import type { Language } from '../../../index.js'
import { command, option } from '../command.js'
import { EXAMPLE_ID } from '../program.js'
import { requireFeature } from '../target.js'
import { parseApiGrants } from './api-grants.js'
import { formatName } from './application-format.js'
import { getApplication } from './applications.js'
import { formatCredentials } from './credentials.js'
import { describeEmail, waitForEmails } from './emails.js'
import { LANGUAGE_OPTION } from './language.js'
import { OPERATOR_DATA_OPTIONS, readOperatorData } from './operator-data.js'

const NEW_APPLICATION_OPTIONS = {
  name: option.requiredText('NAME', 'The name that people read.'),
  contact: option.text('ADDRESS', "Its developer's e-mail address."),
  language: LANGUAGE_OPTION,
  api: option.requiredList(
    'API[=SCOPES]',
    "An API that it may use: orders, with all scopes that the API has now; 'orders=orders:read orders:write', with these. Repeat it for the next API.",
  ),
  ...OPERATOR_DATA_OPTIONS,
}

const SENDS_EMAIL =
  'This command sends the e-mail if the options have emails(); otherwise a running server with emails() does.'

const ACCESS_OPTION = option.text(
  'API',
  'The API that an application requests access to; without it the decision is about a registration.',
)

/** `apps ...`: new applications. */
export const registrationCommands = [
  command({
    name: 'apps create',
    summary: 'Creates an active application and shows its credentials once. Sends no e-mail.',
    requires: 'options',
    options: NEW_APPLICATION_OPTIONS,
    example: "apps create --name 'Corner Shop' --api catalog --api 'orders=orders:read' --config platform.js",
    async run({ platform, by, values }) {
      const { name, contact, language, api } = values
      const created = await platform.applications.create({
        name,
        apis: parseApiGrants(api),
        ...(contact !== undefined && { contact }),
        language: language as Language | undefined,
        ...(await readOperatorData(values, 'apps create')),
        by,
      })
      const text = `Created ${formatName(created.application)}.\n\n${formatCredentials(created.application, created.credentials)}`
      return { json: created, text }
    },
  }),
  command({
    name: 'apps register',
    summary:
      'Registers an application as its developer would: credentials go to the contact by e-mail, and are not shown.',
    notes: [
      'The options must have emails() and registration(). If an API has registration: \'manual\', the e-mail waits for "apps approve".',
    ],
    requires: 'options',
    queuesEmails: () => true,
    options: {
      ...NEW_APPLICATION_OPTIONS,
      contact: option.requiredText('ADDRESS', 'The address for its e-mails.'),
    },
    example: "apps register --name 'Corner Shop' --contact dev@shop.example --api catalog --config platform.js",
    async run(context) {
      const { platform, by, values } = context
      const { name, contact, language, api } = values
      const { application } = await requireFeature(platform, 'registration').register({
        name,
        contact,
        language: language as Language | undefined,
        apis: parseApiGrants(api),
        ...(await readOperatorData(values, 'apps register')),
        by,
      })
      const emails = await waitForEmails(context, application.id)
      const text = `Registered ${formatName(application)}.\n${describeEmail(application.id, emails, context)}`
      return { json: { application: await getApplication(platform, application.id), emails }, text }
    },
  }),
  command({
    name: 'apps deny',
    summary: 'Denies a pending registration, whose application is deleted, or a request for access to an API.',
    notes: ['With --reason the contact gets it by e-mail; without, the contact gets nothing.', SENDS_EMAIL],
    parameters: ['ID'],
    queuesEmails: ({ reason }) => reason !== undefined,
    options: {
      api: ACCESS_OPTION,
      reason: option.text('TEXT', 'Up to 500 characters for the contact.'),
    },
    example: `apps deny ${EXAMPLE_ID} --reason 'No contract' --db platform.sqlite`,
    async run(context) {
      const { platform, by, parameters, values } = context
      const [id] = parameters
      const { api, reason } = values
      const application = await platform.applications.deny(id, { api, reason, by })
      const denied = api === undefined ? id : `${formatName(application)} access to ${api}`
      if (reason === undefined) return { json: { application }, text: `Denied ${denied}.` }
      const emails = await waitForEmails(context, id, ({ purpose }) => purpose === 'rejected')
      return { json: { application, emails }, text: `Denied ${denied}.\n${describeEmail(id, emails, context)}` }
    },
  }),
  command({
    name: 'apps approve',
    summary: 'Approves a registration, whose credentials are sent by e-mail, or a request for access to an API.',
    notes: [SENDS_EMAIL],
    parameters: ['ID'],
    requires: 'options',
    queuesEmails: () => true,
    options: { api: ACCESS_OPTION },
    example: `apps approve ${EXAMPLE_ID} --config platform.js --by alice`,
    async run(context) {
      const { platform, by, parameters, values } = context
      const [id] = parameters
      const { api } = values
      const application = await platform.applications.approve(id, { api, by })
      const emails = await waitForEmails(context, id)
      const approved = api === undefined ? 'Approved' : `Approved access to ${api} for`
      const text = `${approved} ${formatName(application)}.\n${describeEmail(id, emails, context)}`
      return { json: { application: await getApplication(platform, application.id), emails }, text }
    },
  }),
]
