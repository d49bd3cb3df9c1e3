import { createTable, formatTime } from '../format.js'
import { operationCommand, findOperation, run } from './operation-command.js'
import { command, option } from '../command.js'
import { UsageError, EXAMPLE_ID } from '../errors.js'
import { requireFeature } from '../target.js'
import { listEmails, waitForEmails } from './emails.js'
import { listCommand } from './lists.js'

export const platformCommands = [
  operationCommand('signingKeys.list', {
    text({ items }) {
      if (items.length === 0) return 'No signing keys: a server creates the first one.'
      const rows = items.map(({ kid, algorithm, state, createdAt, signsFrom, verifiesUntil }) => {
        return [kid, algorithm, state, ...[createdAt, signsFrom, verifiesUntil].map(formatTime)]
      })
      return createTable(['kid', 'algorithm', 'state', 'created', 'signs from', 'verifies until'])(rows)
    },
  }),
  operationCommand('signingKeys.rotate', {
    notes: ['The former key verifies until its last access token has expired.'],
    example: '--config platform.js --by alice',
    json: (signingKey) => ({ signingKey }),
    text({ kid, state, signsFrom }) {
      const what = state === 'current' ? 'signs now' : `is published, and signs from ${formatTime(signsFrom)}`
      return `The signing key ${kid} ${what}.`
    },
  }),
  operationCommand('signingKeys.revoke', {
    notes: ['Use it for a key that others may have read. Otherwise use "signing-keys rotate".'],
    json: (_, { kid }) => ({ revoked: kid }),
    text: (_, { kid }) => `Revoked the signing key ${kid}: access tokens that it signed are refused.`,
  }),
  operationCommand('sessionSecret.replace', {
    notes: ['Use it after a leak of the database with the option secret, once that was replaced.'],
    example: '--config platform.js --by alice',
    json: () => ({ replaced: true }),
    text: () => 'Replaced the session secret: contacts sign in again.',
  }),
  listCommand('emails.list', {
    parameters: ['applicationId'],
    members: { state: { placeholder: 'STATE' } },
    example: '--state failed',
    list: () => ({
      headings: ['application', 'name', 'purpose', 'to', 'state', 'attempts', 'problem', 'due'],
      formatRow: ({ applicationId, name, purpose, recipient = '-', state, attempts, problem = '-', dueAt }) => {
        return [applicationId, name || '-', purpose, recipient, state, String(attempts), problem, formatTime(dueAt)]
      },
      empty: 'No e-mail is queued.',
    }),
  }),
  command({
    name: 'emails retry',
    summary: findOperation('emails.retry').summary,
    notes: [
      'With --config this command sends them if the options have emails(); with --db a running server with emails() does.',
    ],
    parameters: ['[ID]'],
    queuesEmails: () => true,
    audited: false,
    example: `emails retry ${EXAMPLE_ID} --db platform.sqlite`,
    async run(context) {
      const { platform, store, sendsEmails, parameters } = context
      const [applicationId] = parameters
      // If an application is named, e-mails whose claim link was not used are retried too.
      const states = applicationId === undefined ? ['failed'] : ['failed', 'claimable']
      const affected = (await listEmails(store, applicationId)).filter(({ state }) => states.includes(state))
      const affectedIds = new Set(affected.map(({ id }) => id))
      const given = applicationId === undefined ? {} : { applicationId }
      const { retried } = (await run(findOperation('emails.retry'), platform, given)) as { retried: number }
      const items = await waitForEmails(context, applicationId, ({ id }) => affectedIds.has(id))
      const start = `${retried} ${retried === 1 ? 'e-mail is' : 'e-mails are'} retried`
      const text = sendsEmails
        ? `${start}: ${retried - items.length} accepted, ${items.length} not.`
        : `${start} by a running server that has emails().`
      return { json: { retried, items }, text: retried === 0 ? 'No e-mail has failed.' : text }
    },
  }),
  operationCommand('emails.cancel', {
    notes: ['One that is being sent may still arrive; neither its credentials nor its link work.'],
    example: '--db platform.sqlite --by alice',
    text: ({ cancelled }) =>
      cancelled === 0
        ? 'No e-mail is queued. One that waits for approval ends with "apps deny".'
        : `${cancelled} ${cancelled === 1 ? 'e-mail is' : 'e-mails are'} cancelled.`,
  }),
  command({
    name: 'portal link',
    summary: 'Prints a link that signs a contact in at the portal: valid once, for 15 minutes.',
    notes: [
      'With --application it signs in the first contact of that application, for this application only. The options must have portal().',
    ],
    requires: 'options',
    options: {
      contact: option.text('ADDRESS', 'A contact of an application.'),
      application: option.text('ID', 'The only application that can be managed.'),
    },
    audited: false,
    example: 'portal link --contact dev@shop.example --config platform.js',
    async run({ platform, values: { contact, application } }) {
      if ((contact === undefined) === (application === undefined))
        throw new UsageError('"portal link" needs either --contact ADDRESS or --application ID.', 'portal link')
      const link = await requireFeature(platform, 'portal').link(
        contact === undefined ? { applicationId: application! } : { contact },
      )
      return { json: { link }, text: link }
    },
  }),
  operationCommand('portal.signOut', {
    notes: ['The contact can sign in again. To end that too, remove the contact from its applications.'],
    json: (_, { contact }) => ({ signedOut: contact }),
    text: (_, { contact }) => `Signed ${contact} out.`,
  }),
  listCommand('audit.list', {
    name: 'audit',
    summary: 'Lists changes, oldest first unless --newest: who, what, when. Of one application, or of all.',
    parameters: ['applicationId'],
    members: {
      by: { option: 'actor', placeholder: 'NAME', hint: 'What --by or the option by named.' },
      from: { placeholder: 'TIME', hint: '2027-01-31T12:00:00Z, or 2027-01-31 (UTC).' },
    },
    example: `${EXAMPLE_ID} --all`,
    list: () => ({
      headings: ['id', 'at', 'what', 'by', 'application', 'details'],
      formatRow({ id, at, type, by, applicationId, details }) {
        const shown = Object.entries(details).map(
          ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
        )
        return [id, formatTime(at), type, by ?? '-', applicationId ?? '-', shown.join(' ') || '-']
      },
      empty: 'No changes.',
    }),
  }),
]
