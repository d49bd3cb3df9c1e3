import type { EventType } from '../../index.js'

/** How events are recorded, by OpenTelemetry's conventions: own namespace, snake_case, plural, no unit or "total". */
export const RECORDINGS: { readonly [Type in EventType]: Counted | OutageRecording } = {
  'request.allowed': countInRequest('platform_auth.requests'),
  'request.denied': countInRequest('platform_auth.requests'),
  'request.reported': countInRequest('platform_auth.reported.requests'),
  'token.issued': countInRequest('platform_auth.token.requests'),
  'token.refused': countInRequest('platform_auth.token.requests'),
  'token.revoked': countInRequest('platform_auth.token.revocations'),
  'application.registered': countChange('platform_auth.application.changes', 'registered'),
  'application.imported': countChange('platform_auth.application.changes', 'imported'),
  'application.approved': countChange('platform_auth.application.changes', 'approved'),
  'application.activated': countChange('platform_auth.application.changes', 'activated'),
  'application.updated': countChange('platform_auth.application.changes', 'updated'),
  'application.suspended': countChange('platform_auth.application.changes', 'suspended'),
  'application.resumed': countChange('platform_auth.application.changes', 'resumed'),
  'application.deleted': countChange('platform_auth.application.changes', 'deleted'),
  'application.recovered': countChange('platform_auth.application.changes', 'recovered'),
  'application.accessChanged': countChange('platform_auth.application.changes', 'access_changed'),
  'application.accessRequested': countChange('platform_auth.application.changes', 'access_requested'),
  'application.contactAdded': countChange('platform_auth.application.changes', 'contact_added'),
  'application.contactInvited': countChange('platform_auth.application.changes', 'contact_invited'),
  'application.contactRemoved': countChange('platform_auth.application.changes', 'contact_removed'),
  'application.accessRejected': countChange('platform_auth.application.changes', 'access_rejected'),
  'application.credentialAdded': countChange('platform_auth.application.changes', 'credential_added'),
  'application.credentialUpdated': countChange('platform_auth.application.changes', 'credential_updated'),
  'application.credentialEnded': countChange('platform_auth.application.changes', 'credential_ended'),
  'application.credentialRotated': countChange('platform_auth.application.changes', 'credential_rotated'),
  'application.tokensRevoked': countChange('platform_auth.application.changes', 'tokens_revoked'),
  'application.delivered': countDelivery('delivered'),
  'application.deliveryFailed': countDelivery('delivery_failed'),
  'quota.reached': countChange('platform_auth.application.changes', 'quota_reached'),
  'keySet.unavailable': countChange('platform_auth.application.changes', 'key_set_unavailable'),
  'keySet.available': countChange('platform_auth.application.changes', 'key_set_available'),
  'signingKey.rotated': countChange('platform_auth.signing_key.changes', 'rotated'),
  'signingKey.revoked': countChange('platform_auth.signing_key.changes', 'revoked'),
  'sessionSecret.replaced': countChange('platform_auth.session_secret.changes', 'replaced'),
  'store.unavailable': { outageOf: 'store', over: false },
  'store.available': { outageOf: 'store', over: true },
  'store.writesRejected': { outageOf: 'store.writes', over: false },
  'store.writesAccepted': { outageOf: 'store.writes', over: true },
  'limits.unavailable': { outageOf: 'limits', over: false },
  'limits.available': { outageOf: 'limits', over: true },
  'mail.unavailable': { outageOf: 'mail', over: false },
  'mail.available': { outageOf: 'mail', over: true },
  'clock.deviates': { outageOf: 'clock', over: false },
  'clock.agrees': { outageOf: 'clock', over: true },
}

export interface Counted {
  readonly counter: CounterName
  /** The value of `platform_auth.change.type`; undefined if the counter has no such attribute. */
  readonly changeType: string | undefined
  /** The name of the event's own span; undefined if the active span gets the attributes instead. */
  readonly span: string | undefined
  /** Whether its span is a root span because the event happens in the background. */
  readonly background: boolean
}

export interface OutageRecording {
  readonly outageOf: OutageName
  readonly over: boolean
}

export type CounterName = keyof typeof COUNTERS
export type OutageName = keyof typeof OUTAGES

export const COUNTERS = {
  'platform_auth.requests': { unit: '{request}', description: 'Requests that guards allowed, or refused (error.type)' },
  'platform_auth.reported.requests': {
    unit: '{request}',
    description: 'Requests that report-only guards let pass, and would have refused (error.type)',
  },
  'platform_auth.token.requests': {
    unit: '{request}',
    description: 'Token requests answered with an access token, or refused (error.type)',
  },
  'platform_auth.token.revocations': { unit: '{revocation}', description: 'Access tokens revoked one by one' },
  'platform_auth.application.changes': { unit: '{change}', description: 'Changes of applications' },
  'platform_auth.email.deliveries': {
    unit: '{delivery}',
    description: 'E-mails that the mail server accepted, or that failed for good (error.type)',
  },
  'platform_auth.signing_key.changes': { unit: '{change}', description: 'Signing keys rotated or revoked' },
  'platform_auth.session_secret.changes': { unit: '{change}', description: 'Replacements of the session secret' },
} as const

/** What can be unavailable: gauges `platform_auth.<name>.available`, histograms `platform_auth.<name>.outage.duration`. */
export const OUTAGES = {
  store: { available: '1 while the store answers, 0 while it does not', duration: 'How long the store did not answer' },
  'store.writes': {
    available: '1 while the store accepts changes, 0 while it rejects them (full, read-only, locked)',
    duration: 'How long the store rejected changes',
  },
  limits: {
    available:
      '1 while rate limits are shared as configured, 0 while Redis does not answer and each process counts for itself',
    duration: 'How long Redis did not answer',
  },
  mail: {
    available: '1 while the mail server takes e-mails, 0 while all attempts of this process fail',
    duration: 'How long the mail server took no e-mails',
  },
  clock: {
    available:
      "1 while the clock of this process agrees with the database's, 0 while they differ by more than clockTolerance",
    duration: "How long the clock of this process differed from the database's",
  },
} as const

function countInRequest(counter: CounterName): Counted {
  return { counter, changeType: undefined, span: undefined, background: false }
}

/** Changes are rare, so each has a span of its own. */
function countChange(counter: CounterName & `${string}.changes`, type: string) {
  const span = `${counter.slice(0, -'.changes'.length)}.${type}`
  return { counter, changeType: type, span, background: false } satisfies Counted
}

function countDelivery(end: string): Counted {
  const span = `platform_auth.email.${end}`
  return { counter: 'platform_auth.email.deliveries', changeType: undefined, span, background: true }
}
