import * as z from 'zod/mini'
import { EMAIL_STATES } from '../../shared/contracts/queued-email.js'
import { operation } from './operation.js'
import { actor, choice, count, flag, guarded, id, optional, page, pageOf, text, time, timestamp } from './schemas.js'

const EMAIL_PURPOSES = [
  'registration',
  'key',
  'secret',
  'expiring',
  'invitation',
  'approvalRequest',
  'approved',
  'rejected',
  'suspended',
  'quota',
  'keySetOutage',
  'changes',
] as const
const READS = { needs: 'store', changes: 'nothing', audited: false } as const
const READS_USAGE = { ...READS, scope: 'usage:read' } as const
const KEYS = { scope: 'signing-keys:write', needs: 'platform', changes: 'signingKeys' } as const
const application = optional(text('The id of an application; all if left out.'))
const ofApi = optional(text('Of this API only.'))
const OVERALL_QUERY = {
  api: ofApi,
  from: optional(
    text(
      'The first day, such as 2026-11-01, or month, such as 2026-11, in UTC; the default is 29 days before the last one.',
    ),
  ),
  to: optional(text('The last day or month; the default is today.')),
  by: optional(choice(['day', 'month'], 'Sums up by day or by month; the default is day.')),
  ...page,
}
const USAGE_QUERY = { applicationId: application, ...OVERALL_QUERY }
const QUOTA = {
  per: z.enum(['day', 'month']),
  limit: z.int(),
  used: z.int(),
  left: z.int(),
  soft: z.boolean(),
  endsAt: timestamp(),
}
const OVERALL = { period: text(), api: text(), allowed: z.int() }
const USAGE = { ...OVERALL, applicationId: text() }
const OUTCOMES = { accessTokens: z.int(), refused: z.record(z.string(), z.int()) }
const ROUTE = { route: text(), units: z.int() }

const SIGNING_KEY = z
  .strictObject({
    kid: text(),
    algorithm: text(),
    state: choice(['next', 'current', 'former'], '`next` signs later, `current` signs, `former` only verifies.'),
    createdAt: timestamp(),
    signsFrom: timestamp(),
    verifiesUntil: optional(timestamp()),
  })
  .check(z.meta({ id: 'SigningKey', description: 'A key that signs access tokens, without its private part.' }))

export const platformOperations = [
  operation({
    ...READS_USAGE,
    name: 'usage.list',
    summary:
      'Lists how often the APIs were used, by one application or by all: allowed requests, access tokens, refusals.',
    options: USAGE_QUERY,
    output: pageOf(z.strictObject({ ...USAGE, ...OUTCOMES })),
  }),
  operation({
    ...READS_USAGE,
    name: 'usage.routes',
    summary: 'Lists how often the APIs were used by route pattern, if servers count it.',
    options: USAGE_QUERY,
    output: pageOf(z.strictObject({ ...USAGE, ...ROUTE })),
  }),
  operation({
    ...READS_USAGE,
    name: 'usage.overall',
    summary: 'Lists how often the APIs were used by all applications together, by day or month.',
    options: OVERALL_QUERY,
    output: pageOf(z.strictObject({ ...OVERALL, ...OUTCOMES })),
  }),
  operation({
    ...READS_USAGE,
    name: 'usage.overallRoutes',
    summary: 'Lists how often the APIs were used by all applications together, by route pattern, if servers count it.',
    options: OVERALL_QUERY,
    output: pageOf(z.strictObject({ ...OVERALL, ...ROUTE })),
  }),
  operation({
    ...READS_USAGE,
    name: 'usage.totals',
    summary: 'Lists the applications with most refusals, or most calls, in a day or a month, with their names.',
    options: {
      period: optional(text('A day, such as 2026-11-22, or a month, such as 2026-11, in UTC; the default is today.')),
      sort: optional(choice(['refused', 'allowed'], 'What there is most of at the beginning; the default is refused.')),
      ...page,
    },
    output: pageOf(
      z.strictObject({
        period: text(),
        applicationId: text(),
        name: guarded(text()),
        allowed: z.int(),
        accessTokens: z.int(),
        refused: z.int(),
        share: z.number().check(z.describe('Percent of allowed and refused ones together that are refused.')),
        errors: z.record(z.string(), z.int()).check(z.describe('What was refused, by the error that was sent.')),
        mean: optional(
          z
            .strictObject({ allowed: z.number(), refused: z.number() })
            .check(z.describe('A day of the 7 before, on average; left out for a month.')),
        ),
      }),
    ),
  }),
  operation({
    ...READS_USAGE,
    name: 'usage.refusals',
    summary:
      'Lists the last refused requests of an application, newest first: why, and what its developer does about it.',
    subject: [id],
    output: z.strictObject({
      items: z.array(
        z.strictObject({
          at: timestamp(),
          api: text(),
          error: text(),
          reason: text(),
          problem: text(),
          fix: text(),
          route: optional(text()),
          requestId: optional(text()),
          address: optional(text()),
        }),
      ),
    }),
  }),
  operation({
    ...READS_USAGE,
    name: 'usage.reportOnly',
    summary: 'Lists the requests that report-only guards would refuse: of one application or of all, by route.',
    options: { applicationId: application, api: ofApi, ...page },
    output: pageOf(
      z.strictObject({
        applicationId: optional(text('Left out if it is not known.')),
        api: text(),
        route: text(),
        reason: text(),
        count: z.int(),
        firstAt: timestamp(),
        lastAt: timestamp(),
      }),
    ),
  }),
  operation({
    ...READS_USAGE,
    needs: 'platform',
    name: 'plans.usage',
    summary: "Shows an application's plan, and what it has used of it.",
    subject: [id],
    output: z.strictObject({
      plan: optional(text()),
      quotas: z.array(z.strictObject(QUOTA)),
      rates: z.array(z.strictObject({ limit: z.int(), window: z.int(), soft: z.boolean() })),
      days: z.array(z.strictObject({ day: text(), used: z.int() })),
    }),
  }),
  operation({
    ...READS_USAGE,
    needs: 'platform',
    name: 'plans.list',
    summary:
      'Lists the quotas that are used above a share, with the names of their applications: what is used most first.',
    options: { above: optional(count('The share in percent; the default is 80.', 1, 1000)), ...page },
    output: pageOf(
      z.strictObject({
        ...QUOTA,
        applicationId: text(),
        name: guarded(text()),
        plan: text(),
        share: z.number().check(z.describe('Percent; 100 or more: all of it is used.')),
      }),
    ),
  }),
  operation({
    ...READS,
    scope: 'audit:read',
    name: 'audit.list',
    summary: 'Lists changes: who, what, when. Of one application, or of all.',
    options: {
      applicationId: application,
      order: optional(choice(['oldest', 'newest'], 'What is first; the default is oldest.')),
      type: optional(text('Only changes of this type, such as application.suspended.')),
      by: optional(
        text(
          'Only changes that this actor made; `contact:` with an address finds nothing for who may not read applications.',
        ),
      ),
      from: optional(time('Only changes from this time on.')),
      until: optional(time('Only changes before this time.')),
      ...page,
    },
    output: pageOf(
      z.strictObject({
        id: text(),
        at: timestamp(),
        type: text(),
        by: optional(actor),
        applicationId: optional(text()),
        details: z.record(z.string(), z.unknown()),
      }),
    ),
  }),
  operation({
    ...READS,
    scope: 'signing-keys:write',
    name: 'signingKeys.list',
    summary: 'Lists the signing keys that verify access tokens, in the order in which they sign.',
    output: z.strictObject({ items: z.array(SIGNING_KEY) }),
  }),
  operation({
    ...KEYS,
    name: 'signingKeys.rotate',
    summary: 'Publishes a new signing key, which signs once cached key sets have expired.',
    creates: true,
    options: {
      immediately: optional(
        flag('Signs at once: other verifiers may refuse its access tokens for as long as they cache the key set.'),
      ),
    },
    output: SIGNING_KEY,
  }),
  operation({
    ...KEYS,
    name: 'signingKeys.revoke',
    summary: 'Removes a signing key: every access token that it signed is refused. A current one is replaced first.',
    erases: true,
    subject: [['kid', text('The id of the signing key.')]],
  }),
  operation({
    ...KEYS,
    changes: 'sessions',
    name: 'sessionSecret.replace',
    summary:
      'Ends all sessions of the portal, sign-in links, and links in operators’ e-mails, and those that a thief could make.',
  }),
  operation({
    ...READS,
    scope: 'emails:write',
    name: 'emails.list',
    summary:
      'Lists the queued e-mails, what is due first at the beginning: the mail server’s last answer, and the next attempt.',
    options: {
      applicationId: application,
      state: optional(choice(EMAIL_STATES, 'Only those in this state.')),
      ...page,
    },
    output: pageOf(
      z.strictObject({
        id: text(),
        applicationId: text(),
        name: guarded(text('That of the application.')),
        purpose: z.enum(EMAIL_PURPOSES),
        recipient: guarded(optional(text())),
        state: z.enum(EMAIL_STATES),
        attempts: z.int(),
        problem: optional(text('The code of the last failure.')),
        createdAt: timestamp(),
        dueAt: timestamp('The time of the next attempt, if it is `due`.'),
      }),
    ),
  }),
  operation({
    ...READS,
    scope: 'emails:write',
    name: 'emails.status',
    summary: 'Counts the e-mails that wait to be sent, of all processes: 1,000 at most.',
    output: z.strictObject({ waiting: z.int(), deferred: z.int(), oldestAt: optional(timestamp()) }),
  }),
  operation({
    scope: 'emails:write',
    needs: 'store',
    changes: 'emails',
    audited: false,
    name: 'emails.retry',
    summary:
      'Sends failed e-mails again: all of them, or those of one application and its claim links that were not used.',
    subject: [['applicationId', application]],
    output: z.strictObject({ retried: z.int() }),
  }),
  operation({
    scope: 'emails:write',
    needs: 'store',
    changes: 'application',
    name: 'emails.cancel',
    summary:
      'Cancels the queued e-mails of an application and the claim links that were not used; not that of a registration that waits for approval.',
    subject: [id],
    output: z.strictObject({ cancelled: z.int() }),
  }),
]
