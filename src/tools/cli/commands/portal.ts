import { command, option } from '../command.js'
import { UsageError } from '../errors.js'
import { requireFeature } from '../target.js'
import { operationCommand } from './operation-command.js'

export const portalCommands = [
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
      if ((contact === undefined) === (application === undefined)) {
        throw new UsageError('"portal link" needs either --contact ADDRESS or --application ID.', 'portal link')
      }
      const link = await requireFeature(platform, 'portal').link(
        contact === undefined ? { applicationId: application! } : { contact },
      )
      return { json: { link }, text: link }
    },
  }),
  operationCommand('portal.signOut', {
    name: 'portal sign-out',
    notes: ['The contact can sign in again. To end that too, remove the contact from its applications.'],
    example: 'portal sign-out dev@shop.example --db platform.sqlite',
    json: (_, { contact }) => ({ signedOut: contact }),
    text: (_, { contact }) => `Signed ${contact} out.`,
  }),
]
