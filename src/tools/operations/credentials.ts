import * as z from 'zod/mini'
import { operation } from './operation.js'
import {
  added,
  address,
  APPLICATION,
  contact,
  count,
  CREDENTIAL,
  flag,
  grants,
  guarded,
  id,
  keySetSource,
  list,
  networks,
  NEW_CREDENTIALS,
  NEW_KEY,
  NEW_SECRET,
  optional,
  revokeTokens,
  rotated,
  text,
  time,
  timestamp,
} from './schemas.js'

const CHANGES = { scope: 'credentials:write', needs: 'store', changes: 'application', output: APPLICATION } as const
const MAKES = {
  scope: 'credentials:write',
  needs: 'platform',
  changes: 'application',
  creates: true,
  showsCredential: true,
  subject: [id],
} as const
const credentialId = ['credentialId', text('The id of the key, secret or key set: `cred_...`.')] as const
const CHANGES_CREDENTIAL = { ...CHANGES, subject: [id, credentialId] } as const
const CHANGES_CONTACT = { ...CHANGES, subject: [id, address] } as const
const expiresAt = optional(z.nullable(time('When it expires; never if left out.')))
const NEW = {
  name: text('What it is for, such as warehouse.'),
  expiresAt,
  apis: optional(grants('What it is restricted to; the APIs and scopes must be among those of the application.')),
  scopes: optional(list('The scopes that it is restricted to, with a single API.')),
  networks: optional(networks),
}
const byEmail = (description: string) => optional(z.literal('email').check(z.describe(description)))
const ROTATION = {
  credential: optional(
    text('The id of the one to replace, which the application lists; needed if there are several names.'),
  ),
  overlap: optional(
    count('Seconds for which the old one still works; the default is 86400, and 0 ends it at once.', 0, 31_536_000),
  ),
  expiresAt: optional(z.nullable(time('When the new one expires; if left out, when the replaced one would have.'))),
  deliver: byEmail(
    "Sends it to the application's contact by e-mail instead of showing it; the overlap starts when the mail server accepts the e-mail.",
  ),
  revokeTokens: optional(flag('Also refuses every access token that it was issued up to now.')),
}

export const credentialOperations = [
  operation({
    ...MAKES,
    name: 'applications.addSecret',
    summary: 'Gives an application a further secret, with a name, and shows it once.',
    options: NEW,
    output: added(NEW_SECRET),
  }),
  operation({
    ...MAKES,
    showsCredential: false,
    name: 'applications.addKeySet',
    summary: 'Gives an application public keys, with which it authenticates in place of a secret (private_key_jwt).',
    options: { ...NEW, ...keySetSource },
    output: z.strictObject({ application: APPLICATION, credential: CREDENTIAL }),
  }),
  operation({
    ...CHANGES_CREDENTIAL,
    name: 'applications.replaceKeySet',
    summary: 'Replaces the public keys of a key set at once.',
    options: { ...keySetSource, revokeTokens: optional(revokeTokens) },
  }),
  operation({
    ...CHANGES_CREDENTIAL,
    name: 'applications.reloadKeySet',
    summary: 'Has the address of a key set read again for the next request.',
  }),
  operation({
    ...MAKES,
    name: 'applications.addKey',
    summary: 'Gives an application a further key, with a name, and shows it once.',
    options: NEW,
    output: added(NEW_KEY),
  }),
  operation({
    ...MAKES,
    name: 'applications.rotateSecret',
    summary: 'Creates a new secret and shows it once; the first one if there was none.',
    options: ROTATION,
    output: rotated(NEW_SECRET),
  }),
  operation({
    ...MAKES,
    name: 'applications.rotateKey',
    summary: 'Creates a new key (client_id, API key) and shows it once.',
    options: ROTATION,
    output: rotated(NEW_KEY),
  }),
  operation({
    ...CHANGES_CREDENTIAL,
    name: 'applications.updateCredential',
    summary: 'Renames a key, secret or key set, or changes when it expires or from where it may be used.',
    options: {
      name: optional(text('Its new name.')),
      expiresAt: optional(z.nullable(time('When it expires.'))),
      networks: optional(z.nullable(networks)),
    },
  }),
  operation({
    ...CHANGES_CREDENTIAL,
    name: 'applications.endCredential',
    summary: 'Ends a key, secret or key set at once.',
    options: { revokeTokens: optional(revokeTokens) },
  }),
  operation({
    ...MAKES,
    name: 'applications.recover',
    summary: 'Takes an application back after somebody else has read the mailbox of a contact.',
    options: {
      contact: text('Its only contact from now on.'),
      deliver: byEmail('Sends the new credentials to the contact instead of showing them.'),
    },
    output: z.strictObject({
      application: APPLICATION,
      credentials: optional(NEW_CREDENTIALS),
      selfService: z
        .array(
          z.strictObject({ api: text(), scopes: z.array(z.string()), at: timestamp(), by: guarded(optional(text())) }),
        )
        .check(z.describe('What contacts had got for themselves, without a decision.')),
    }),
  }),
  operation({
    ...CHANGES_CONTACT,
    name: 'applications.addContact',
    summary: 'Adds a contact to an application, without asking its owner. The first contact receives the e-mails.',
  }),
  operation({
    ...CHANGES_CONTACT,
    name: 'applications.removeContact',
    summary: 'Removes a contact from an application, and ends the invitations that this contact has sent.',
  }),
  operation({
    ...CHANGES_CONTACT,
    name: 'portal.invite',
    summary: 'Invites somebody by e-mail to become a contact. The link in it works once, for 7 days.',
    needs: 'platform',
  }),
  operation({
    ...CHANGES_CONTACT,
    name: 'applications.cancelInvitation',
    summary: 'Ends an invitation that was not accepted: its link no longer works.',
  }),
  operation({
    scope: 'credentials:write',
    needs: 'store',
    changes: 'sessions',
    audited: false,
    name: 'portal.signOut',
    summary: 'Ends every session of a contact at the portal, in every process, and the links that it has not used yet.',
    subject: [['contact', contact]],
  }),
]
