import { command } from './command.js'
import { followEmails, emailsOf } from './emails.js'
import { EXAMPLE_ID } from './program.js'

/** `mail ...`: the emails that bring credentials. */
export const mailCommands = [
  command({
    name: 'emails retry',
    summary: 'Tries emails again that were given up: those of one application, or all.',
    notes: [
      'With --config they are sent from here, where the options have a mailer; with --db by a running server that has one.',
    ],
    parameters: ['[ID]'],
    needs: 'store',
    mails: () => true,
    example: `emails retry ${EXAMPLE_ID} --db platform.sqlite`,
    async run(invocation) {
      const { platform, store, sends, parameters } = invocation
      const [id] = parameters
      const failed = (await emailsOf(store, id)).filter(({ state }) => state === 'failed')
      const ids = new Set(failed.map((email) => email.id))
      const { retried } = await platform.outbox.retry(id)
      const emails = await followEmails(invocation, id, (email) => ids.has(email.id))
      const again = `${retried} ${retried === 1 ? 'email is' : 'emails are'} tried again`
      const told = sends
        ? `${again}: ${retried - emails.length} accepted, ${emails.length} not.`
        : `${again} by a running server that has a mailer.`
      return { json: { retried, emails }, text: retried === 0 ? 'No email was given up.' : told }
    },
  }),
]
