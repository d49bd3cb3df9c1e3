import { command } from '../command.js'
import { formatTime } from '../format.js'
import { EXAMPLE_ID } from '../program.js'
import { listEmails, waitForEmails } from './emails.js'
import { listCommand } from './lists.js'
import { findOperation, operationCommand, run } from './operation-command.js'

export const emailCommands = [
  listCommand('emails.list', {
    name: 'emails list',
    parameters: ['applicationId'],
    members: { state: { placeholder: 'STATE' } },
    example: 'emails list --state failed --db platform.sqlite',
    list: () => ({
      headings: ['application', 'name', 'purpose', 'to', 'state', 'attempts', 'problem', 'due'],
      formatRow: ({ applicationId, name, purpose, recipient = '-', state, attempts, problem = '-', dueAt }) => [
        applicationId,
        name || '-',
        purpose,
        recipient,
        state,
        String(attempts),
        problem,
        formatTime(dueAt),
      ],
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
    name: 'emails cancel',
    notes: ['One that is being sent may still arrive; neither its credentials nor its link work.'],
    example: `emails cancel ${EXAMPLE_ID} --db platform.sqlite --by alice`,
    text: ({ cancelled }) =>
      cancelled === 0
        ? 'No e-mail is queued.'
        : `${cancelled} ${cancelled === 1 ? 'e-mail is' : 'e-mails are'} cancelled.`,
  }),
]
