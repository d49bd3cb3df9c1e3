import { leaveOut, type Operation } from '../operations/operation.js'
import type { CallName } from '../operations/operator-calls.js'
import { OPERATIONS } from '../operations/perform.js'
import { decodeText } from '../../shared/lib/request.js'

export interface Route {
  readonly operation: Operation
  readonly method: string
  /** Such as `/applications/{id}`: its parameters are members of the input. */
  readonly path: string
  readonly segments: readonly string[]
  readonly hasBody: boolean
}

/** The operations served. Without `portal.link`, which signs in, and `imports.run`, which grants what a file says. */
const PLACES: Readonly<Partial<Record<CallName, string>>> = {
  'applications.list': 'GET /applications',
  'applications.create': 'POST /applications',
  'registration.register': 'POST /registrations',
  'applications.get': 'GET /applications/{id}',
  'applications.update': 'PATCH /applications/{id}',
  'applications.delete': 'DELETE /applications/{id}',
  'applications.suspend': 'POST /applications/{id}/suspend',
  'applications.resume': 'POST /applications/{id}/resume',
  'applications.approve': 'POST /applications/{id}/approve',
  'applications.deny': 'POST /applications/{id}/deny',
  'applications.revokeTokens': 'POST /applications/{id}/revoke-tokens',
  'applications.recover': 'POST /applications/{id}/recover',
  'applications.allow': 'PUT /applications/{id}/apis/{api}',
  'applications.disallow': 'DELETE /applications/{id}/apis/{api}',
  'plans.set': 'PUT /applications/{id}/plan',
  'plans.usage': 'GET /applications/{id}/plan',
  'plans.list': 'GET /quotas',
  'applications.addKey': 'POST /applications/{id}/keys',
  'applications.addSecret': 'POST /applications/{id}/secrets',
  'applications.addKeySet': 'POST /applications/{id}/key-sets',
  'applications.replaceKeySet': 'PUT /applications/{id}/key-sets/{credentialId}',
  'applications.reloadKeySet': 'POST /applications/{id}/key-sets/{credentialId}/reload',
  'applications.rotateKey': 'POST /applications/{id}/keys/rotate',
  'applications.rotateSecret': 'POST /applications/{id}/secrets/rotate',
  'applications.updateCredential': 'PATCH /applications/{id}/credentials/{credentialId}',
  'applications.endCredential': 'DELETE /applications/{id}/credentials/{credentialId}',
  'applications.addContact': 'PUT /applications/{id}/contacts/{address}',
  'applications.removeContact': 'DELETE /applications/{id}/contacts/{address}',
  'portal.invite': 'PUT /applications/{id}/invitations/{address}',
  'applications.cancelInvitation': 'DELETE /applications/{id}/invitations/{address}',
  'portal.signOut': 'POST /contacts/{contact}/sign-out',
  'usage.list': 'GET /usage',
  'usage.routes': 'GET /usage/routes',
  'usage.overall': 'GET /usage/overall',
  'usage.overallRoutes': 'GET /usage/overall/routes',
  'usage.totals': 'GET /usage/totals',
  'usage.reportOnly': 'GET /usage/report-only',
  'usage.refusals': 'GET /applications/{id}/refusals',
  'audit.list': 'GET /audit',
  'signingKeys.list': 'GET /signing-keys',
  'signingKeys.rotate': 'POST /signing-keys',
  'signingKeys.revoke': 'DELETE /signing-keys/{kid}',
  'sessionSecret.replace': 'POST /session-secret/replace',
  'emails.list': 'GET /emails',
  'emails.status': 'GET /emails/status',
  'emails.retry': 'POST /emails/retry',
  'emails.cancel': 'DELETE /applications/{id}/emails',
}

export const ROUTES: readonly Route[] = OPERATIONS.flatMap((operation) => {
  const [method, path] = PLACES[operation.name]?.split(' ') ?? []
  if (method === undefined || path === undefined) return []
  // Nobody becomes a resource server over HTTP.
  const served = leaveOut(operation, 'resourceServer')
  const segments = path.split('/').slice(1)
  return [{ operation: served, method, path, segments, hasBody: !['GET', 'DELETE'].includes(method) }]
})

/** The routes of a path, one for each of its methods, with the values of the path's parameters; undefined for one that cannot be decoded. */
export function matchPath(routes: readonly Route[], path: string) {
  const given = path.split('/').slice(1)
  const literal = routes.filter(({ segments }) => fits(segments, given))
  // /applications/{id}/keys/rotate and the like: the one with the most literal segments.
  const most = Math.max(0, ...literal.map(({ segments }) => countLiterals(segments)))
  const matched = literal.filter(({ segments }) => countLiterals(segments) === most)
  const [first] = matched
  const parameters = (first?.segments ?? []).flatMap((segment, index) =>
    isParameter(segment) ? [[segment.slice(1, -1), decodeText(given[index]!)] as const] : [],
  )
  return { matched, parameters: Object.fromEntries(parameters) }
}

function fits(segments: readonly string[], given: readonly string[]): boolean {
  if (segments.length !== given.length) return false
  return segments.every((segment, index) => (isParameter(segment) ? given[index] !== '' : segment === given[index]))
}

function isParameter(segment: string): boolean {
  return segment.startsWith('{')
}

function countLiterals(segments: readonly string[]): number {
  return segments.filter((segment) => !isParameter(segment)).length
}
