import { command } from '../command.js'
import { EXAMPLE_ID } from '../program.js'
import { formatName } from './application-format.js'
import { requireFeature } from '../target.js'
import { describeEmail, waitForEmails } from './emails.js'

/** `apps ...`: the people who manage an application at the portal, and receive its e-mails. */
export const contactCommands = [
  command({
    name: 'apps add-contact',
    summary: 'Adds a contact to an application, without asking its owner. The first contact receives the e-mails.',
    parameters: ['ID', 'ADDRESS'],
    example: `apps add-contact ${EXAMPLE_ID} dev@shop.example --db platform.sqlite`,
    async run({ platform, by, parameters: [id, address] }) {
      const application = await platform.applications.addContact(id, address, { by })
      return { json: { application }, text: `${address} is a contact of ${formatName(application)}.` }
    },
  }),
  command({
    name: 'apps remove-contact',
    summary: 'Removes a contact from an application, and ends the invitations that this contact has sent.',
    notes: [
      'After the first contact was removed, the next one receives the e-mails. The only contact cannot be removed.',
    ],
    parameters: ['ID', 'ADDRESS'],
    example: `apps remove-contact ${EXAMPLE_ID} dev@shop.example --db platform.sqlite`,
    async run({ platform, by, parameters: [id, address] }) {
      const application = await platform.applications.removeContact(id, address, { by })
      return { json: { application }, text: `${address} is no longer a contact of ${formatName(application)}.` }
    },
  }),
  command({
    name: 'apps invite-contact',
    summary: 'Invites somebody by e-mail to become a contact. The link in it works once, for 7 days.',
    notes: [
      'The options must have emails() and portal(). This command sends the e-mail; if that fails, a running server does.',
      'Another invitation of the same address ends the earlier one.',
    ],
    parameters: ['ID', 'ADDRESS'],
    requires: 'options',
    queuesEmails: () => true,
    example: `apps invite-contact ${EXAMPLE_ID} dev@shop.example --config platform.js`,
    async run(context) {
      const { platform, by, parameters } = context
      const [id, address] = parameters
      const application = await requireFeature(platform, 'portal').invite(id, address, { by })
      const emails = await waitForEmails(context, id, ({ recipient }) => recipient === address)
      const text = `Invited ${address} to ${formatName(application)}.\n${describeEmail(id, emails, context)}`
      return { json: { application, emails }, text }
    },
  }),
  command({
    name: 'apps cancel-invitation',
    summary: 'Ends an invitation that was not accepted: its link no longer works.',
    parameters: ['ID', 'ADDRESS'],
    example: `apps cancel-invitation ${EXAMPLE_ID} a@b.example --db platform.sqlite`,
    async run({ platform, by, parameters: [id, address] }) {
      const application = await platform.applications.cancelInvitation(id, address, { by })
      return { json: { application }, text: `The invitation of ${address} has ended.` }
    },
  }),
]
