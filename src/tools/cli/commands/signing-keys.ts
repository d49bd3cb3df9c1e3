import type { SigningKeyInfo } from '../../../index.js'
import { formatTable, formatTime } from '../format.js'
import { operationCommand } from './operation-command.js'

/** `signing-keys ...`: the keys that sign access tokens; `session-secret replace`. */
export const signingKeyCommands = [
  operationCommand('signingKeys.list', {
    name: 'signing-keys list',
    example: 'signing-keys list --db platform.sqlite',
    text: ({ items }) => (items.length > 0 ? formatKeys(items) : 'No signing keys: a server creates the first one.'),
  }),
  operationCommand('signingKeys.rotate', {
    name: 'signing-keys rotate',
    notes: ['The former key verifies until its last access token has expired.'],
    example: 'signing-keys rotate --config platform.js --by alice',
    json: (signingKey) => ({ signingKey }),
    text({ kid, state, signsFrom }) {
      const what = state === 'current' ? 'signs now' : `is published, and signs from ${formatTime(signsFrom)}`
      return `The signing key ${kid} ${what}.`
    },
  }),
  operationCommand('signingKeys.revoke', {
    name: 'signing-keys revoke',
    notes: ['Use it for a key that others may have read. Otherwise use "signing-keys rotate".'],
    example: 'signing-keys revoke 8mGkSyRSnNDXkC0WDv8jJkWQ6p8nYyQ1D3bqXFq6n1o --config platform.js',
    json: (_, { kid }) => ({ revoked: kid }),
    text: (_, { kid }) => `Revoked the signing key ${kid}: access tokens that it signed are refused.`,
  }),
  operationCommand('sessionSecret.replace', {
    name: 'session-secret replace',
    notes: ['Use it after a leak of the database with the option secret, once that was replaced.'],
    example: 'session-secret replace --config platform.js --by alice',
    json: () => ({ replaced: true }),
    text: () => 'Replaced the session secret: contacts sign in again.',
  }),
]

function formatKeys(keys: readonly SigningKeyInfo[]): string {
  const rows = keys.map(({ kid, algorithm, state, createdAt, signsFrom, verifiesUntil }) => [
    kid,
    algorithm,
    state,
    ...[createdAt, signsFrom, verifiesUntil].map(formatTime),
  ])
  return formatTable(['kid', 'algorithm', 'state', 'created', 'signs from', 'verifies until'], rows)
}
