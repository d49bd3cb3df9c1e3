import type { Application, CredentialInfo } from '../../index.js'
import { alignColumns, formatTime, replaceControlCharacters } from '../format.js'
import type { EmailInfo } from './emails.js'

/** An application in a sentence: its name in quotes, and its id. */
export function formatName({ name, id }: Application): string {
  return name === '' ? id : `"${replaceControlCharacters(name)}" (${id})`
}

export function formatListed({ id, name, status, apis, contact, createdAt }: Application): string[] {
  return [id, name || '-', status, Object.keys(apis).join(', ') || '-', contact ?? '-', formatTime(createdAt)]
}

export function formatApplication(application: Application, emails: readonly EmailInfo[]): string {
  const {
    id,
    name,
    status,
    contacts,
    invitations,
    language,
    externalId,
    metadata,
    networks,
    plan,
    acceptedTerms,
    apis,
    accessRequests,
    keys,
    secrets,
    createdAt,
  } = application
  const grants = Object.entries(apis).map(([api, { scopes }]) => [api, ...scopes].join(' '))
  return alignColumns([
    ['id', id],
    ['name', name || '-'],
    ['status', status],
    ...labelRows('contacts', contacts),
    ...labelSome('invited', invitations.map(formatInvitation)),
    ...(language === undefined ? [] : [['language', language]]),
    ['created', formatTime(createdAt)],
    ...(externalId === undefined ? [] : [['external id', externalId]]),
    ...(metadata ? [['metadata', JSON.stringify(metadata)]] : []),
    ...(plan === undefined ? [] : [['plan', plan]]),
    ...(acceptedTerms ? [['terms', `${acceptedTerms.version}, accepted ${formatTime(acceptedTerms.at)}`]] : []),
    ...labelRows('apis', grants),
    ...labelSome('limits', formatLimits(application)),
    ...labelSome('networks', networks ?? []),
    ...labelSome('requested', accessRequests.map(formatAccessRequest)),
    ...labelRows('keys', keys.map(formatCredential)),
    ...labelRows('secrets', secrets.map(formatCredential)),
    ...labelSome('e-mails', emails.map(formatEmail)),
  ])
}

/** The limits that an application has of its own, in words. */
export function formatLimits({ rateLimits }: Application): string[] {
  return Object.entries(rateLimits).map(([api, { limit, window, until }]) => {
    const end = until ? `, until ${formatTime(until)}` : ''
    return `${api === '*' ? 'every API' : api}: ${limit} requests in ${window} s${end}`
  })
}

function labelSome(label: string, values: readonly string[]): string[][] {
  return values.length > 0 ? labelRows(label, values) : []
}

/** Rows for the values of one label, which stands in the first row; a dash if there are none. */
function labelRows(label: string, values: readonly string[]): string[][] {
  const shown = values.length > 0 ? values : ['-']
  return shown.map((value, index) => [index === 0 ? label : '', value])
}

function formatCredential({
  id,
  name,
  prefix,
  createdAt,
  expiresAt,
  lastUsedAt,
  apis,
  networks,
}: CredentialInfo): string {
  const used = lastUsedAt ? `last used ${formatTime(lastUsedAt)}` : 'never used'
  const expires = expiresAt ? [`expires ${formatTime(expiresAt)}`] : []
  const grants = Object.entries(apis ?? {}).map(([api, { scopes }]) => [api, ...scopes].join(' '))
  const restriction = [
    ...(apis ? [`only ${grants.join(', ')}`] : []),
    ...(networks ? [`from ${networks.join(', ')}`] : []),
  ]
  const parts = [`${id} ${name}`, `${prefix}...`, `created ${formatTime(createdAt)}`, used, ...expires, ...restriction]
  return parts.join(', ')
}

function formatInvitation({ address, expiresAt }: Application['invitations'][number]): string {
  return `${address}, until ${formatTime(expiresAt)}`
}

function formatAccessRequest({ api, scopes, requestedAt }: Application['accessRequests'][number]): string {
  return `${[api, ...scopes].join(' ')}, since ${formatTime(requestedAt)}`
}

function formatEmail({ purpose, state, attemptCount, problem, dueAt }: EmailInfo): string {
  const due = state === 'due' ? ` at ${formatTime(dueAt)}` : ''
  const attempts = attemptCount > 0 ? `, tried ${attemptCount}x` : ''
  return `${purpose}: ${state}${due}${attempts}${problem ? `, ${problem}` : ''}`
}
