import { EXAMPLE_ID } from '../program.js'
import { formatName } from './application-format.js'
import { operationCommand } from './operation-command.js'

/** `apps ...`: the people who manage an application at the portal, and receive its e-mails. */
export const contactCommands = [
  operationCommand('applications.addContact', {
    name: 'apps add-contact',
    example: `apps add-contact ${EXAMPLE_ID} dev@shop.example --db platform.sqlite`,
    text: (application, { address }) => `${address} is a contact of ${formatName(application)}.`,
  }),
  operationCommand('applications.removeContact', {
    name: 'apps remove-contact',
    notes: [
      'After the first contact was removed, the next one receives the e-mails. The only contact cannot be removed.',
    ],
    example: `apps remove-contact ${EXAMPLE_ID} dev@shop.example --db platform.sqlite`,
    text: (application, { address }) => `${address} is no longer a contact of ${formatName(application)}.`,
  }),
  operationCommand('portal.invite', {
    name: 'apps invite-contact',
    notes: [
      'The options must have emails() and portal(). This command sends the e-mail; if that fails, a running server does.',
      'Another invitation of the same address ends the earlier one.',
    ],
    emails: { isAffected: ({ recipient }, { address }) => recipient === address },
    example: `apps invite-contact ${EXAMPLE_ID} dev@shop.example --config platform.js`,
    text: (application, { address }) => `Invited ${address} to ${formatName(application)}.`,
  }),
  operationCommand('applications.cancelInvitation', {
    name: 'apps cancel-invitation',
    example: `apps cancel-invitation ${EXAMPLE_ID} a@b.example --db platform.sqlite`,
    text: (_, { address }) => `The invitation of ${address} has ended.`,
  }),
]
