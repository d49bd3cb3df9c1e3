import type { Application, CredentialInfo, IssuedCredentials } from '../index.js'
import type { EmailInfo } from './emails.js'
import { columns, instant, table } from './table.js'

/** A line for each. */
export function listOfApplications(applications: readonly Application[]): string {
  if (applications.length === 0) return 'No applications.'
  const rows = applications.map(({ id, name, status, apis, contact, createdAt }) => [
    id,
    name || '-',
    status,
    Object.keys(apis).join(', ') || '-',
    contact ?? '-',
    instant(createdAt),
  ])
  return table(['id', 'name', 'status', 'apis', 'contact', 'created'], rows)
}

/** Everything there is to know of one. */
export function portraitOf(application: Application, emails: readonly EmailInfo[] = []): string {
  const { id, name, status, contact, apis, keys, secrets, createdAt } = application
  const access = Object.entries(apis).map(([api, { scopes }]) => [api, ...scopes].join(' '))
  const rows = [
    ['id', id],
    ['name', name || '-'],
    ['status', status],
    ['contact', contact ?? '-'],
    ['created', instant(createdAt)],
    ...labelled('apis', access),
    ...labelled('keys', keys.map(credentialLine)),
    ...labelled('secrets', secrets.map(credentialLine)),
    ...labelled('emails', emails.map(emailLine)),
  ]
  return columns(rows)
}

/** Credentials in clear, on lines of their own, so that they can be copied. */
export function credentialsView({ clientId, clientSecret }: Partial<IssuedCredentials>): string {
  const rows = [
    ...(clientId ? [['client_id', clientId]] : []),
    ...(clientSecret ? [['client_secret', clientSecret]] : []),
  ]
  return `${columns(rows, '  ')}\n\nShown this once: only their hashes are kept.`
}

function labelled(label: string, lines: readonly string[]): string[][] {
  const shown = lines.length > 0 ? lines : label === 'emails' ? [] : ['-']
  return shown.map((line, place) => [place === 0 ? label : '', line])
}

function credentialLine({ prefix, createdAt, expiresAt, lastUsedAt }: CredentialInfo): string {
  const used = lastUsedAt ? `last used ${instant(lastUsedAt)}` : 'never used'
  return [
    `${prefix}...`,
    `made ${instant(createdAt)}`,
    used,
    ...(expiresAt ? [`ends ${instant(expiresAt)}`] : []),
  ].join(', ')
}

function emailLine({ purpose, state, attemptCount, problem, dueAt }: EmailInfo): string {
  const tried = attemptCount > 0 ? `, tried ${attemptCount}x` : ''
  return `${purpose}: ${state}${state === 'due' ? ` at ${instant(dueAt)}` : ''}${tried}${problem ? `, ${problem}` : ''}`
}
