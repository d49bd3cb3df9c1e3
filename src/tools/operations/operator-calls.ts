import type { EmailQueue } from '../../features/emails/index.js'
import type { Plans } from '../../features/plans/index.js'
import type { Portal } from '../../features/portal/index.js'
import type { Registration } from '../../features/registration/index.js'
import type { Usage, UsageQuery } from '../../features/usage/index.js'
import type {
  Api,
  Applications,
  AuditEntry,
  AuditListQuery,
  RotateByEmailOptions,
  RotateOptions,
  SessionSecretCalls,
  SigningKeyRotation,
} from '../../index.js'

// Apart from `operation.ts`: declarations that users get name these types, and users have no Zod.
export const SCOPES = {
  'applications:read': 'Read applications',
  'applications:write': 'Create, change and delete applications, and decide about registrations and requests',
  'credentials:write': 'Make, change and end credentials; change contacts; recover applications',
  'usage:read': 'Read usage, refusals and quotas',
  'audit:read': 'Read the audit log',
  'signing-keys:write': 'Read, rotate and revoke signing keys; replace the session secret',
  'emails:write': 'Read the state of queued e-mails, retry and cancel them',
} as const

export type Scope = keyof typeof SCOPES

/** Whether an API is that of management over HTTP: it has every scope of it. Its operations are guarded routes. */
export function isForManagement({ scheme, scopes }: Pick<Api, 'scheme' | 'scopes'>): boolean {
  return scheme === 'oauth2' && Object.keys(SCOPES).every((scope) => Object.hasOwn(scopes, scope))
}

/** A call with overloads, whose parameters the compiler could not read otherwise. */
type Rotate<Name extends 'clientId' | 'clientSecret'> = (
  id: string,
  options?: RotateOptions & Partial<RotateByEmailOptions>,
) => Promise<{ application: Awaited<ReturnType<Applications['update']>>; credentials?: Readonly<Record<Name, string>> }>

/** Types of events and days as the text that JSON has. */
type AnyType<Entry extends { readonly type?: unknown }> = Omit<Entry, 'type'> &
  (undefined extends Entry['type'] ? { readonly type?: string } : { readonly type: string })
type ByDay<Query> = Omit<Query, 'from' | 'to'> & { readonly from?: string; readonly to?: string }

export interface Calls {
  readonly applications: Omit<Applications, 'rotateKey' | 'rotateSecret'> & {
    rotateKey: Rotate<'clientId'>
    rotateSecret: Rotate<'clientSecret'>
  }
  readonly audit: { list(query?: AnyType<AuditListQuery>): Promise<{ items: AnyType<AuditEntry>[]; next?: string }> }
  readonly signingKeys: SigningKeyRotation
  readonly sessionSecret: SessionSecretCalls
  readonly emails: EmailQueue
  readonly usage: Omit<Usage, 'list' | 'routes' | 'overall' | 'overallRoutes'> & {
    list(query?: ByDay<UsageQuery>): ReturnType<Usage['list']>
    routes(query?: ByDay<UsageQuery>): ReturnType<Usage['routes']>
    overall(query?: ByDay<Omit<UsageQuery, 'applicationId'>>): ReturnType<Usage['overall']>
    overallRoutes(query?: ByDay<Omit<UsageQuery, 'applicationId'>>): ReturnType<Usage['overallRoutes']>
  }
  readonly plans: Plans
  readonly portal: Portal
  readonly registration: Registration
}

export type CallName = { [Each in keyof Calls]: `${Each}.${keyof Calls[Each] & string}` }[keyof Calls]

/** The second parameter of `can` of `operatorPages()`, such as `applications.suspend`: an operation. */
export type OperatorAction = CallName

/** The third parameter of `can`. */
export interface ActionContext {
  /** The right that it takes, as in management over HTTP, such as `applications:write`. */
  readonly scope: Scope
  /** The application that it is about; undefined where it is about none, or about several. */
  readonly applicationId: string | undefined
}
