import { accessFrom } from './access.js'
import { existing, nameOf } from './application.js'
import { command } from './command.js'
import { defined } from './defined.js'
import { followEmails, tellOf } from './emails.js'
import { credentialsView } from './format.js'
import { EXAMPLE_ID } from './program.js'

const API = {
  kind: 'list',
  value: 'API[=SCOPES]',
  about:
    "What it may use: orders, with all scopes the API has now; 'orders=orders:read orders:write', with those. Again for the next API.",
  required: true,
} as const

/** `apps ...`: how applications come. */
export const registrationCommands = [
  command({
    name: 'apps create',
    summary: 'Makes an active application and shows its credentials, this once. Sends nothing.',
    needs: 'options',
    changes: true,
    options: {
      name: { kind: 'text', value: 'NAME', about: 'What people call it.', required: true },
      contact: { kind: 'text', value: 'ADDRESS', about: "Its owner's e-mail address." },
      api: API,
    },
    example: "apps create --name 'Corner Shop' --api catalog --api 'orders=orders:read' --config platform.js",
    async run({ platform, by, values: { name, contact, api } }) {
      const created = await platform.applications.create({ name, apis: accessFrom(api), ...defined({ contact }), by })
      const text = `Created ${nameOf(created.application)}.\n\n${credentialsView(created.credentials)}`
      return { json: created, text }
    },
  }),
  command({
    name: 'apps register',
    summary: 'Registers an application as its owner would: credentials go to the contact by e-mail, and are not shown.',
    notes: [
      'The options must have a mailer. Where an API is registered for manually, the email waits for "apps approve".',
    ],
    needs: 'options',
    changes: true,
    mails: () => true,
    options: {
      name: { kind: 'text', value: 'NAME', about: 'What people call it.', required: true },
      contact: { kind: 'text', value: 'ADDRESS', about: 'Where the credentials go.', required: true },
      api: API,
    },
    example: "apps register --name 'Corner Shop' --contact dev@shop.example --api catalog --config platform.js",
    async run(invocation) {
      const { platform, by, sends, values } = invocation
      const { name, contact, api } = values
      const { application } = await platform.applications.register({ name, contact, apis: accessFrom(api), by })
      const emails = await followEmails(invocation, application.id)
      const text = `Registered ${nameOf(application)}.\n${tellOf(application.id, emails, sends)}`
      return { json: { application: await existing(platform, application.id), emails }, text }
    },
  }),
  command({
    name: 'apps approve',
    summary: 'Lets a registration go on that waits for approval: its credentials are mailed.',
    notes: ['Sent from here where the options have a mailer, otherwise by a running server that has one.'],
    parameters: ['ID'],
    needs: 'options',
    changes: true,
    mails: () => true,
    example: `apps approve ${EXAMPLE_ID} --config platform.js --by alice`,
    async run(invocation) {
      const { platform, by, sends, parameters } = invocation
      const [id] = parameters
      const application = await platform.applications.approve(id, { by })
      const emails = await followEmails(invocation, id)
      const text = `Approved ${nameOf(application)}.\n${tellOf(id, emails, sends)}`
      return { json: { application: await existing(platform, application.id), emails }, text }
    },
  }),
]
