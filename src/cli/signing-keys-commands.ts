import type { SigningKeyInfo } from '../index.js'
import { command } from './command.js'
import { instant, table } from './table.js'

/** `keys ...`: what access tokens are signed with. */
export const keysCommands = [
  command({
    name: 'signing-keys list',
    summary: 'Lists the signing keys that verify access tokens, in the order in which they sign.',
    needs: 'store',
    example: 'signing-keys list --db platform.sqlite',
    async run({ platform }) {
      const { items: signingKeys } = await platform.signingKeys.list()
      const text = signingKeys.length > 0 ? listOfKeys(signingKeys) : 'No signing keys: a server makes the first one.'
      return { json: { signingKeys }, text }
    },
  }),
  command({
    name: 'signing-keys rotate',
    summary: 'Publishes a new signing key, which signs once caches of the key set have turned over.',
    notes: ['The former key verifies until its last access token has expired.'],
    needs: 'options',
    changes: true,
    options: {
      immediately: {
        kind: 'flag',
        about: 'Signs at once: other verifiers may refuse its access tokens for as long as they cache the key set.',
      },
    },
    example: 'signing-keys rotate --config platform.js --by alice',
    async run({ platform, by, values: { immediately } }) {
      const signingKey = await platform.signingKeys.rotate({ immediately, by })
      const signs =
        signingKey.state === 'current' ? 'signs now' : `is published, and signs from ${instant(signingKey.signsFrom)}`
      return { json: { signingKey }, text: `The signing key ${signingKey.kid} ${signs}.` }
    },
  }),
  command({
    name: 'signing-keys revoke',
    summary: 'Forgets a signing key: every access token that it signed is refused. A current one is replaced first.',
    notes: ['For a key that others may have; otherwise "signing-keys rotate" is what you want.'],
    parameters: ['KID'],
    needs: 'options',
    changes: true,
    example: 'signing-keys revoke 8mGkSyRSnNDXkC0WDv8jJkWQ6p8nYyQ1D3bqXFq6n1o --config platform.js',
    async run({ platform, by, parameters: [kid] }) {
      await platform.signingKeys.revoke(kid, { by })
      return { json: { revoked: kid }, text: `Revoked the signing key ${kid}: what it signed is refused.` }
    },
  }),
]

function listOfKeys(keys: readonly SigningKeyInfo[]): string {
  const rows = keys.map(({ kid, algorithm, state, createdAt, signsFrom, verifiesUntil }) => [
    kid,
    algorithm,
    state,
    instant(createdAt),
    instant(signsFrom),
    instant(verifiesUntil),
  ])
  return table(['kid', 'algorithm', 'state', 'created', 'signs from', 'verifies until'], rows)
}
