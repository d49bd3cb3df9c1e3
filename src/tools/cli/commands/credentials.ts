import { CommandError, PROGRAM } from '../errors.js'
import { replaceControlCharacters } from '../format.js'
import { formatName, describeCredential, describeFormer, formatCredentials } from './application-format.js'
import { getApplication } from './applications.js'
import { operationCommand } from './operation-command.js'

const KINDS = ['secret', 'key'] as const

export const credentialCommands = [
  ...KINDS.map((kind) =>
    operationCommand(`applications.${kind === 'key' ? 'addKey' : 'addSecret'}`, {
      notes: [
        'With --api it may be used for these APIs and scopes only; they must be among those of the application. At most 20 are live.',
      ],
      without: ['scopes', 'networks'],
      example: '--name warehouse',
      text({ application, credential, credentials }) {
        const what = `a new ${kind} "${replaceControlCharacters(credential.name)}" (${credential.id})`
        return `${formatName(application)} has ${what}.\n\n${formatCredentials(application, credentials)}`
      },
    }),
  ),
  operationCommand('applications.addKeySet', {
    notes: ['It takes the place of a secret at APIs whose clientAuthentication has private_key_jwt.'],
    without: ['scopes', 'networks'],
    example: '--name pay --jwks FILE --config my.js',
    text: ({ application, credential }) =>
      `${formatName(application)} has a new key set "${replaceControlCharacters(credential.name)}" (${credential.id}).`,
  }),
  operationCommand('applications.replaceKeySet', {
    example: '--jwks FILE --db my.sqlite',
    text: (application, { credentialId }) => `Replaced the keys of ${describeCredential(application, credentialId)}.`,
  }),
  operationCommand('applications.reloadKeySet', {
    text: (application, { credentialId }) =>
      `Servers read ${describeCredential(application, credentialId)} again for its next request.`,
  }),
  ...KINDS.map((kind) =>
    operationCommand(`applications.${kind === 'key' ? 'rotateKey' : 'rotateSecret'}`, {
      notes: [
        'It has the name, the restriction and the end of the one that it replaces. Of each name at most two are live: a third ends the oldest.',
        'Any live key works with any live secret.',
      ],
      without: ['expiresAt'],
      emails: { when: ({ mail }) => mail === true, isAffected: ({ purpose }) => purpose === kind },
      example: '--overlap 3600',
      async before({ id, deliver }, { platform }) {
        if (deliver === undefined || (await getApplication(platform, id)).contact !== undefined) return
        throw new CommandError(
          `Application ${id} has no contact. Set one: ${PROGRAM} apps update ${id} --contact ADDRESS`,
        )
      },
      text({ application, credentials }) {
        if (!credentials) return `${formatName(application)} gets a new ${kind} by e-mail.`
        const shown = formatCredentials(application, credentials)
        return `${formatName(application)} has a new ${kind}.\n\n${shown}${describeFormer(application, kind)}`
      },
    }),
  ),
  operationCommand('applications.recover', {
    notes: [
      'All of its keys, secrets, access tokens, other contacts, invitations, requests for access and sessions end. The contact gets one new key, and one secret where it needs one.',
      'The contact may be a former one, whose mailbox was won back. Call it again if it fails.',
    ],
    emails: { when: ({ mail }) => mail === true },
    example: '--contact a@b.example',
    text({ application, credentials, selfService }, { contact }) {
      const got = selfService.map(
        ({ api, scopes, by }) =>
          `\n${[api, ...scopes].join(' ')} was granted to ${by ?? 'a contact'} without a decision.`,
      )
      const text = `${formatName(application)} has the contact ${contact} alone.${got.join('')}`
      return credentials ? `${text}\n\n${formatCredentials(application, credentials)}` : text
    },
  }),
  operationCommand('applications.updateCredential', {
    summary: 'Renames a key, secret or key set, or changes when it expires.',
    without: ['networks'],
    needsChange: true,
    example: '--name main --db my.sqlite',
    text: (application, { credentialId }) => `Updated ${describeCredential(application, credentialId)}.`,
  }),
  operationCommand('applications.endCredential', {
    before: async ({ id, credentialId }, { platform }) =>
      describeCredential(await getApplication(platform, id), credentialId),
    text: (_, _input, _context, ended) => `Ended ${ended ?? 'it'}. Servers refuse it within a second.`,
  }),
]
