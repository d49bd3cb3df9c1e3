// Compiled with an old `lib`, against every subpath.
import { authOf, ConfigurationError, createPlatformAuth, type IssuedCredentials } from 'express-platform-auth'
import { developerConsole } from 'express-platform-auth/console'
import { openAdmin } from 'express-platform-auth/admin'
import { guardsFromDocument } from 'express-platform-auth/document-guards'
import { emails, smtpMailer } from 'express-platform-auth/emails'
import { imports } from 'express-platform-auth/imports'
import { portal } from 'express-platform-auth/portal'
import { registration } from 'express-platform-auth/registration'
import { observe } from 'express-platform-auth/opentelemetry'
import { postgresStore } from 'express-platform-auth/stores/postgres'
import { sqliteStore } from 'express-platform-auth/stores/sqlite'
import type { StoreWith } from 'express-platform-auth/store'
import { fakeClock } from 'express-platform-auth/testing'
import { usage } from 'express-platform-auth/usage'

const auth = createPlatformAuth({
  baseUrl: 'https://api.example.com',
  apis: { orders: { scheme: 'oauth2' } },
  features: [emails({ mailer: { send: async () => undefined } }), registration(), portal(), usage(), imports()],
})
void auth.usage.list({ api: 'orders' })
// @ts-expect-error an API that does not exist
void auth.usage.list({ api: 'ordres' })
auth.events.on('request.denied', (event) => {
  const at: Date = event.at
  void at
})
// @ts-expect-error an event that does not exist
auth.events.once('request.refused', () => undefined)

export const expiresAt = (req: object): Date | undefined => {
  const info = authOf(req)
  return info.scheme === 'oauth2' ? info.token.expiresAt : undefined
}
export const describe = (issued: IssuedCredentials): string => issued.clientSecret ?? issued.clientId
export type Parts = Pick<StoreWith, 'emails' | 'usage' | 'signIns' | 'imports'>
export const tools = [guardsFromDocument, openAdmin]
export const all = [ConfigurationError, developerConsole, smtpMailer, observe, postgresStore, sqliteStore, fakeClock]
