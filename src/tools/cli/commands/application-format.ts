import type { Application, CredentialInfo, IssuedCredentials } from '../../../index.js'
import { formatKeySet } from '../../../shared/lib/key-set-text.js'
import { alignColumns, formatTime, replaceControlCharacters } from '../format.js'
import type { EmailInfo } from './emails.js'
import { hasOwnMember } from '../../../shared/lib/own-members.js'

export function formatName({ name, id }: Application): string {
  return name === '' ? id : `"${replaceControlCharacters(name)}" (${id})`
}

export function formatListed({ id, name, status, apis, contact, createdAt }: Application): string[] {
  return [id, name || '-', status, Object.keys(apis).join(', ') || '-', contact ?? '-', formatTime(createdAt)]
}

export function formatApplication(application: Application, emails: readonly EmailInfo[]): string {
  const { acceptedTerms: terms } = application
  return alignColumns([
    ['id', application.id],
    ['name', application.name || '-'],
    ['status', application.status],
    ...labelRows('contacts', application.contacts),
    ...labelSome(
      'invited',
      application.invitations.map(({ address, expiresAt }) => `${address}, until ${formatTime(expiresAt)}`),
    ),
    ...labelSome('language', application.language),
    ['created', formatTime(application.createdAt)],
    ...labelSome('external id', application.externalId),
    ...labelSome('metadata', application.metadata && JSON.stringify(application.metadata)),
    ...labelSome('plan', application.plan),
    ...labelSome('resource server of', application.resourceServer),
    ...labelSome('terms', terms && `${terms.version}, accepted ${formatTime(terms.at)}`),
    ...labelRows('apis', listGrants(application.apis)),
    ...labelSome('limits', formatLimits(application)),
    ...labelSome('networks', application.networks),
    ...labelSome(
      'requested',
      application.accessRequests.map(
        ({ api, scopes, requestedAt }) => `${[api, ...scopes].join(' ')}, since ${formatTime(requestedAt)}`,
      ),
    ),
    ...labelRows('keys', application.keys.map(formatCredential)),
    ...labelRows('secrets', application.secrets.map(formatCredential)),
    ...labelSome('e-mails', emails.map(formatEmail)),
  ])
}

export function formatLimits({ rateLimits }: Pick<Application, 'rateLimits'>): string[] {
  return Object.entries(rateLimits).map(([api, { limit, window, until }]) => {
    const end = until ? `, until ${formatTime(until)}` : ''
    return `${api === '*' ? 'every API' : api}: ${limit} requests in ${window} s${end}`
  })
}

function labelSome(label: string, given: string | readonly string[] | undefined): string[][] {
  const values = [given ?? []].flat()
  return values.length > 0 ? labelRows(label, values) : []
}

function labelRows(label: string, values: readonly string[]): string[][] {
  const shown = values.length > 0 ? values : ['-']
  return shown.map((value, index) => [index === 0 ? label : '', value])
}

function formatCredential(credential: CredentialInfo): string {
  const { id, name, prefix, createdAt, expiresAt, lastUsedAt, apis, networks, keySet } = credential
  const since = keySet && hasOwnMember(keySet, 'jwksUri') && keySet.unreadableSince
  const parts = [
    `${id} ${name}`,
    keySet ? `key set: ${formatKeySet(keySet).join('; ')}` : `${prefix}...`,
    since && `not readable since ${formatTime(since)}`,
    `created ${formatTime(createdAt)}`,
    lastUsedAt ? `last used ${formatTime(lastUsedAt)}` : 'never used',
    expiresAt && `expires ${formatTime(expiresAt)}`,
    apis && `only ${listGrants(apis).join(', ')}`,
    networks && `from ${networks.join(', ')}`,
  ]
  return parts.filter(Boolean).join(', ')
}

function listGrants(apis: Application['apis']): string[] {
  return Object.entries(apis).map(([api, { scopes }]) => [api, ...scopes].join(' '))
}

function formatEmail({ purpose, state, attemptCount, problem, dueAt }: EmailInfo): string {
  const due = state === 'due' ? ` at ${formatTime(dueAt)}` : ''
  const attempts = attemptCount > 0 ? `, tried ${attemptCount}x` : ''
  return `${purpose}: ${state}${due}${attempts}${problem ? `, ${problem}` : ''}`
}

export function formatCredentials(
  { keys, secrets }: Application,
  { clientId, clientSecret }: Partial<IssuedCredentials>,
): string {
  const given = [
    { label: 'client_id', what: 'key', list: keys, plain: clientId },
    { label: 'client_secret', what: 'secret', list: secrets, plain: clientSecret },
  ].flatMap(({ label, what, list, plain }) => {
    if (plain === undefined) return []
    // The newest one is first: it is the new one, if another has the same first characters.
    const end = list.find(({ prefix }) => plain.startsWith(prefix))?.expiresAt
    return [{ row: [label, plain], what, end: end && formatTime(end) }]
  })
  const ends = new Set(given.map(({ end }) => end))
  const [end] = ends
  const isOne = ends.size === 1 && end !== undefined
  const sentences = isOne
    ? [given.length > 1 ? `Both expire at ${end}.` : `It expires at ${end}.`]
    : given.flatMap(({ what, end: each }) => (each ? [`The ${what} expires at ${each}.`] : []))
  const rows = given.map(({ row }) => row)
  return [`${alignColumns(rows, '  ')}\n\nShown this once: only their hashes are kept.`, ...sentences].join(' ')
}

export function describeCredential({ keys, secrets }: Application, credentialId: string): string {
  const key = keys.find(({ id }) => id === credentialId)
  const credential = key ?? secrets.find(({ id }) => id === credentialId)
  if (!credential) return credentialId
  return `the ${key ? 'key' : credential.keySet ? 'key set' : 'secret'} "${replaceControlCharacters(credential.name)}" (${credentialId})`
}

export function describeFormer({ keys, secrets }: Application, kind: 'key' | 'secret'): string {
  const [newest, ...others] = kind === 'key' ? keys : secrets
  const former = others.find(({ name }) => name === newest?.name)
  return former ? ` The former one works until ${formatTime(former.expiresAt)}.` : ''
}
