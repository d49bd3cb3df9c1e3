import type { Applications } from './applications-api.js'
import type { Audit, AuditListQuery } from './records/audit-log.js'
import { any, apiName, application, credential, members, options, type CallParameters } from './call-arguments.js'
import type {
  ActorOptions,
  AddCredentialOptions,
  AddKeySetOptions,
  ApprovalOptions,
  RejectionOptions,
  ReplaceKeySetOptions,
  RevokeTokensOptions,
  RotateByEmailOptions,
  RotateOptions,
  SuspensionOptions,
} from './call-options.js'

type Given<Name extends keyof Applications, Place extends 0 | 1 | 2> = NonNullable<
  Parameters<Applications[Name]>[Place]
>

export const actor = options<ActorOptions>({ by: 'text' })
const newApplication = members<Given<'create', 0>>({
  name: 'own',
  contact: 'own',
  apis: 'own',
  language: 'own',
  externalId: 'own',
  metadata: 'own',
  keySet: 'own',
  resourceServer: 'own',
  by: 'text',
})
const NEW_CREDENTIAL = {
  name: 'own',
  expiresAt: 'own',
  apis: 'own',
  scopes: 'own',
  networks: 'own',
  by: 'text',
} as const
const newCredential = members<AddCredentialOptions>(NEW_CREDENTIAL)
const rotation = options<RotateOptions & RotateByEmailOptions>({
  by: 'text',
  revokeTokens: 'own',
  credential: 'own',
  expiresAt: 'own',
  overlap: 'own',
  deliver: 'own',
})

export const APPLICATION_PARAMETERS: CallParameters<Applications> = {
  // Resolves undefined for an id of the wrong kind too.
  get: [any],
  list: [
    options<Given<'list', 0>>({
      after: 'text',
      limit: 'own',
      api: 'text',
      status: 'own',
      externalId: 'own',
      name: 'own',
      contact: 'own',
      credential: 'own',
      plan: 'own',
      expiringBefore: 'own',
      waiting: 'boolean',
      usedSince: 'own',
      usedBefore: 'own',
      neverUsed: 'boolean',
    }),
  ],
  create: [newApplication],
  approve: [application, options<ApprovalOptions>({ by: 'text', api: 'text', scopes: 'own', note: 'own' })],
  deny: [application, options<RejectionOptions>({ by: 'text', api: 'text', reason: 'own' })],
  update: [
    application,
    members<Given<'update', 1>>({
      name: 'own',
      contact: 'own',
      language: 'own',
      externalId: 'own',
      metadata: 'own',
      networks: 'own',
      rateLimits: 'own',
      resourceServer: 'own',
      by: 'text',
    }),
  ],
  suspend: [application, options<SuspensionOptions>({ by: 'text', revokeTokens: 'own', reason: 'own', notify: 'own' })],
  resume: [application, actor],
  delete: [application, actor],
  revokeTokens: [application, actor],
  allow: [application, apiName, options<Given<'allow', 2>>({ scopes: 'own', rateLimit: 'own', by: 'text' })],
  disallow: [application, apiName, actor],
  addContact: [application, any, actor],
  removeContact: [application, any, actor],
  cancelInvitation: [application, any, actor],
  addKey: [application, newCredential],
  addSecret: [application, newCredential],
  addKeySet: [application, members<AddKeySetOptions>({ ...NEW_CREDENTIAL, jwks: 'own', jwksUri: 'own' })],
  replaceKeySet: [
    application,
    credential,
    members<ReplaceKeySetOptions>({ by: 'text', revokeTokens: 'own', jwks: 'own', jwksUri: 'own' }),
  ],
  reloadKeySet: [application, credential, actor],
  updateCredential: [
    application,
    credential,
    members<Given<'updateCredential', 2>>({ name: 'own', expiresAt: 'own', networks: 'own', by: 'text' }),
  ],
  endCredential: [application, credential, options<RevokeTokensOptions>({ by: 'text', revokeTokens: 'own' })],
  rotateKey: [application, rotation],
  rotateSecret: [application, rotation],
  recover: [application, members<Given<'recover', 1>>({ contact: 'own', deliver: 'own', by: 'text' })],
}

export const AUDIT_PARAMETERS: CallParameters<Audit> = {
  list: [
    options<AuditListQuery>({
      after: 'text',
      limit: 'own',
      applicationId: 'text',
      order: 'own',
      type: 'text',
      by: 'text',
      from: 'own',
      until: 'own',
    }),
  ],
}
