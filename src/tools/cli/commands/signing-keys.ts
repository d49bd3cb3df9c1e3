import type { SigningKeyInfo } from '../../../index.js'
import { command, option } from '../command.js'
import { formatTable, formatTime } from '../format.js'

/** `signing-keys ...`: the keys that sign access tokens; `session-secret replace`. */
export const signingKeyCommands = [
  command({
    name: 'signing-keys list',
    summary: 'Lists the signing keys that verify access tokens, in the order in which they sign.',
    audited: false,
    example: 'signing-keys list --db platform.sqlite',
    async run({ platform }) {
      const { items } = await platform.signingKeys.list()
      const text = items.length > 0 ? formatKeys(items) : 'No signing keys: a server creates the first one.'
      return { json: { items }, text }
    },
  }),
  command({
    name: 'signing-keys rotate',
    summary: 'Publishes a new signing key, which signs once cached key sets have expired.',
    notes: ['The former key verifies until its last access token has expired.'],
    requires: 'options',
    options: {
      immediately: option.flag(
        'Signs at once: other verifiers may refuse its access tokens for as long as they cache the key set.',
      ),
    },
    example: 'signing-keys rotate --config platform.js --by alice',
    async run({ platform, by, values: { immediately } }) {
      const signingKey = await platform.signingKeys.rotate({ immediately, by })
      const { kid, state, signsFrom } = signingKey
      const what = state === 'current' ? 'signs now' : `is published, and signs from ${formatTime(signsFrom)}`
      return { json: { signingKey }, text: `The signing key ${kid} ${what}.` }
    },
  }),
  command({
    name: 'signing-keys revoke',
    summary: 'Removes a signing key: every access token that it signed is refused. A current one is replaced first.',
    notes: ['Use it for a key that others may have read. Otherwise use "signing-keys rotate".'],
    parameters: ['KID'],
    requires: 'options',
    example: 'signing-keys revoke 8mGkSyRSnNDXkC0WDv8jJkWQ6p8nYyQ1D3bqXFq6n1o --config platform.js',
    async run({ platform, by, parameters: [kid] }) {
      await platform.signingKeys.revoke(kid, { by })
      return {
        json: { revoked: kid },
        text: `Revoked the signing key ${kid}: access tokens that it signed are refused.`,
      }
    },
  }),
  command({
    name: 'session-secret replace',
    summary:
      'Ends all sessions of the portal, sign-in links, and links in operators’ e-mails, and those that a thief could make.',
    notes: ['Use it after a leak of the database with the option secret, once that was replaced.'],
    requires: 'options',
    example: 'session-secret replace --config platform.js --by alice',
    async run({ platform, by }) {
      await platform.sessionSecret.replace({ by })
      return { json: { replaced: true }, text: 'Replaced the session secret: contacts sign in again.' }
    },
  }),
]

function formatKeys(keys: readonly SigningKeyInfo[]): string {
  const rows = keys.map(({ kid, algorithm, state, createdAt, signsFrom, verifiesUntil }) => [
    kid,
    algorithm,
    state,
    formatTime(createdAt),
    formatTime(signsFrom),
    formatTime(verifiesUntil),
  ])
  return formatTable(['kid', 'algorithm', 'state', 'created', 'signs from', 'verifies until'], rows)
}
