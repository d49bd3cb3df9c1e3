import * as z from 'zod/mini'
import { operation } from './operation.js'
import {
  api,
  APPLICATION,
  choice,
  contact,
  externalId,
  flag,
  grants,
  id,
  keySetSource,
  language,
  limit,
  list,
  metadata,
  name,
  networks,
  NEW_APPLICATION,
  optional,
  page,
  pageOf,
  revokeTokens,
  scopes,
  text,
  time,
} from './schemas.js'

const READS = { scope: 'applications:read', needs: 'store', changes: 'nothing', audited: false } as const
const CHANGES = { scope: 'applications:write', needs: 'store', changes: 'application', output: APPLICATION } as const
const CHANGES_ONE = { ...CHANGES, subject: [id] } as const
const NEW = {
  name,
  apis: grants('The APIs that it may use.'),
  language: optional(language),
  externalId: optional(externalId),
  metadata: optional(metadata),
}
const keySet = z
  .strictObject(keySetSource)
  .check(z.describe('Public keys, with which it authenticates in place of a secret: then it gets none.'))
const resourceServer = list(
  'The APIs whose resource server it is: it may check credentials that were presented to it there. Nobody sets it over HTTP.',
)
const access = optional(
  text('The API that the application requests access to; without it the decision is about its registration.'),
)

export const applicationOperations = [
  operation({
    ...CHANGES,
    name: 'applications.create',
    summary: 'Creates an active application and shows its credentials once. Sends no e-mail.',
    needs: 'platform',
    creates: true,
    showsCredential: true,
    options: {
      ...NEW,
      apis: optional(grants('The APIs that it may use; left out, if at all, for a resource server.')),
      contact: optional(contact),
      keySet: optional(keySet),
      resourceServer: optional(resourceServer),
    },
    output: NEW_APPLICATION,
  }),
  operation({
    ...CHANGES,
    name: 'registration.register',
    summary:
      'Registers an application as its developer would: credentials go to the contact by e-mail, and are not shown.',
    needs: 'platform',
    creates: true,
    options: {
      ...NEW,
      contact,
      keySet: optional(keySet),
      terms: optional(text('The version of the terms that the contact has accepted.')),
    },
    output: z.strictObject({ application: APPLICATION }),
  }),
  operation({
    ...READS,
    name: 'applications.list',
    summary:
      'Lists applications: oldest first, with a name by name, with a time of expiry what expires first; deleted ones only if that status is asked for.',
    options: {
      api: optional(text('Only those that may use this API.')),
      status: optional(choice(['pending', 'active', 'suspended', 'deleted'], 'Only those of this status.')),
      externalId: optional(text('Only the one with this id of your own.')),
      name: optional(text('Only those whose name begins with this.')),
      contact: optional(text('Only those of which this is a contact.')),
      credential: optional(
        text('Only those with a key or secret that begins with this: the characters that lists show, never all of it.'),
      ),
      plan: optional(text('Only those that have this plan.')),
      expiringBefore: optional(time('Only those with a key or secret that expires before that time.')),
      waiting: optional(
        flag(
          'Only those that wait for an operator, for their registration or for access: what has waited longest first.',
        ),
      ),
      usedSince: optional(time('Only those that were used at that time or later, longest ago first.')),
      usedBefore: optional(time('Only those that were used, and not since that time: longest ago first.')),
      neverUsed: optional(flag('Only those that were never used.')),
      ...page,
    },
    output: z.extend(pageOf(APPLICATION), {
      searched: optional(
        z
          .int()
          .check(
            z.describe('How many applications were looked at, if there may be more than the page has: `next` goes on.'),
          ),
      ),
    }),
  }),
  operation({
    ...READS,
    name: 'applications.get',
    summary: 'Shows an application: what it may use, and its live credentials.',
    subject: [id],
    output: APPLICATION,
  }),
  operation({
    ...CHANGES_ONE,
    name: 'applications.update',
    summary: "Changes an application's name, first contact, language, your own data, networks or limits.",
    // Who receives the e-mails gets the credentials that they carry.
    memberScopes: { contact: 'credentials:write' },
    options: {
      name: optional(name),
      contact: optional(contact),
      language: optional(language),
      externalId: optional(z.nullable(externalId)),
      metadata: optional(z.nullable(metadata)),
      networks: optional(z.nullable(networks)),
      rateLimits: optional(
        z
          .record(z.string(), z.nullable(limit))
          .check(z.describe("Limits in place of those of APIs, by name; '*' for every API that is not named.")),
      ),
      resourceServer: optional(z.nullable(resourceServer)),
    },
  }),
  operation({
    ...CHANGES_ONE,
    name: 'applications.suspend',
    summary: 'Suspends an application: its credentials and access tokens are refused until it is resumed.',
    options: {
      revokeTokens: optional(revokeTokens),
      reason: optional(text('Up to 500 characters for the audit log, and for the e-mail.')),
      notify: optional(flag('Tells the contact by e-mail.')),
    },
  }),
  operation({
    ...CHANGES_ONE,
    name: 'applications.resume',
    summary: 'Resumes a suspended application, with the credentials it has.',
  }),
  operation({
    ...CHANGES_ONE,
    name: 'applications.delete',
    summary: 'Deletes an application permanently: name, contact and credentials are erased, id and audit log stay.',
    erases: true,
  }),
  operation({
    ...CHANGES_ONE,
    name: 'applications.approve',
    summary: 'Approves a registration, whose credentials are sent by e-mail, or a request for access to an API.',
    options: {
      api: access,
      scopes: optional(
        list(
          'Of a request for access: the scopes that it may use there from now on; all that it has and asks for if left out.',
        ),
      ),
      note: optional(text('Up to 500 characters for the contact, in the e-mail.')),
    },
  }),
  operation({
    ...CHANGES_ONE,
    name: 'applications.deny',
    summary: 'Denies a pending registration, whose application is deleted, or a request for access to an API.',
    options: { api: access, reason: optional(text('Up to 500 characters for the contact.')) },
  }),
  operation({
    ...CHANGES,
    name: 'applications.allow',
    summary: 'Allows an application to use an API, or replaces the scopes that it has there.',
    needs: 'platform',
    subject: [id, api],
    options: { scopes: optional(scopes), rateLimit: optional(z.nullable(limit)) },
  }),
  operation({
    ...CHANGES,
    name: 'applications.disallow',
    summary: 'Removes an API from an application.',
    subject: [id, api],
  }),
  operation({
    ...CHANGES_ONE,
    name: 'applications.revokeTokens',
    summary: 'Refuses every access token that an application was issued up to now.',
  }),
  operation({
    scope: 'applications:write',
    needs: 'store',
    changes: 'application',
    name: 'plans.set',
    summary: 'Gives an application another plan, or none.',
    subject: [id, ['plan', z.nullable(text('The name of the plan; null for none.'))]],
  }),
]
