import { beforeAll, expect } from 'vitest'
import {
  authOf,
  type Application,
  type ApplicationErrorCode,
  type AuditEntry,
  type IssuedCredentials,
} from '../../../src/index.js'
import { createCaller, type Caller } from '../../support/caller.js'
import { onEveryPlatform, type Host } from '../../support/platform.js'

/** What a test of `auth.applications` works with. */
export interface Operator {
  readonly caller: Caller
  /** An application that may use these APIs (every API if none are named), with all scopes. */
  createApplication(
    apis?: readonly (typeof ALL_APIS)[number][],
  ): Promise<{ id: string; credentials: IssuedCredentials }>
  /** Status and error of the token endpoint, a bearer guard and a key guard. */
  listAnswers(credentials: Partial<IssuedCredentials>, accessToken: string): Promise<string[]>
  listAudit(id: string): Promise<AuditEntry[]>
}

/** What `listAnswers()` resolves if nothing is refused. */
export const ALL_ACCEPTED = ['200', '200', '200']

/** Runs the same tests on both versions of Express and on every store, with routes that every application can call. */
export function onEveryHost(tests: (host: Host, operator: Operator) => void): void {
  onEveryPlatform(
    (host) => {
      beforeAll(() => mountRoutes(host))
      tests(host, createOperator(host))
    },
    // Many of these tests are about refusals.
    { rateLimits: { failedAuthentication: false } },
  )
}

function createOperator(host: Host): Operator {
  const caller = createCaller(host)
  return {
    caller,
    async createApplication(apis = ALL_APIS) {
      const { application, credentials } = await host.auth.applications.create({ name: 'Shop', apis, by: 'setup' })
      return { id: application.id, credentials }
    },
    async listAnswers(credentials, accessToken) {
      const answers = [
        await caller.token('orders', credentials),
        await caller.bearer('/orders/items', accessToken),
        await caller.key('/catalog/items', credentials.clientId!),
      ]
      return answers.map(({ status, body }) => [status, (body as { error?: string }).error].join(' ').trim())
    },
    async listAudit(id) {
      const { items: records } = await host.auth.audit.list({ applicationId: id, limit: 1000 })
      return records
    },
  }
}

/** No application has this id. */
export const UNKNOWN_ID = `app_${'0'.repeat(32)}`

export const ALL_APIS = ['orders', 'invoices', 'catalog', 'weather'] as const

function mountRoutes({ app, auth }: Host): void {
  app.get('/orders/items', auth.requireBearer('orders'), (req, res) => void res.json(authOf(req)))
  app.get(
    '/orders/changes',
    auth.requireBearer('orders', { scopes: ['orders:write'] }),
    (req, res) => void res.json(authOf(req)),
  )
  app.get('/invoices/items', auth.requireBearer('invoices'), (req, res) => void res.json(authOf(req)))
  app.get('/catalog/items', auth.requireApiKey('catalog'), (req, res) => void res.json(authOf(req)))
  app.get('/weather/now', auth.requireApiKey('weather'), (req, res) => void res.json(authOf(req)))
}

type Change = (
  host: Host,
  id: string,
  by?: { by?: string },
) => Promise<Application | { application: Application; credentials: Partial<IssuedCredentials> }>

/** Every call that changes an application. */
export const CALLS: Readonly<Record<string, Change>> = {
  update: ({ auth }, id, by) => auth.applications.update(id, { name: 'Another name', ...by }),
  suspend: ({ auth }, id, by) => auth.applications.suspend(id, by),
  resume: ({ auth }, id, by) => auth.applications.resume(id, by),
  delete: ({ auth }, id, by) => auth.applications.delete(id, by),
  allow: ({ auth }, id, by) => auth.applications.allow(id, 'orders', by),
  disallow: ({ auth }, id, by) => auth.applications.disallow(id, 'orders', by),
  rotateSecret: ({ auth }, id, by) => auth.applications.rotateSecret(id, by),
  rotateKey: ({ auth }, id, by) => auth.applications.rotateKey(id, { overlap: 5, ...by }),
  revokeTokens: ({ auth }, id, by) => auth.applications.revokeTokens(id, by),
  addContact: ({ auth }, id, by) => auth.applications.addContact(id, 'added@example.com', by),
}

/** The audit record that each call leaves. */
export const AUDIT_TYPES: Readonly<Record<string, string>> = {
  update: 'application.updated',
  suspend: 'application.suspended',
  resume: 'application.resumed',
  delete: 'application.deleted',
  allow: 'application.accessChanged',
  disallow: 'application.accessChanged',
  rotateSecret: 'application.credentialRotated',
  rotateKey: 'application.credentialRotated',
  revokeTokens: 'application.tokensRevoked',
  addContact: 'application.contactAdded',
}

/** The `CredentialInfo` of a credential: its prefix is the fixed part and four characters. */
export function describeCredential(plain: string, createdAt: number, expiresAt?: number) {
  return {
    id: expect.stringMatching(/^cred_[0-9A-Za-z]{22}$/),
    name: 'default',
    prefix: plain.slice(0, 12),
    createdAt: new Date(createdAt),
    expiresAt: expiresAt === undefined ? undefined : new Date(expiresAt),
    lastUsedAt: undefined,
    apis: undefined,
  }
}

export async function expectRefused(
  call: Promise<unknown>,
  code: ApplicationErrorCode,
  message: string | RegExp = /./,
): Promise<void> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toMatchObject({ name: 'ApplicationError', code })
  expect((error as Error).message).toMatch(message)
}
