// Compiled with old declarations of Node and an old `lib`, against every subpath.
import { authOf, ConfigurationError, createPlatformAuth, type IssuedCredentials } from 'express-platform-auth'
import { developerConsole } from 'express-platform-auth/console'
import { smtpMailer } from 'express-platform-auth/mailers/smtp'
import { observe } from 'express-platform-auth/opentelemetry'
import { postgresStore } from 'express-platform-auth/stores/postgres'
import { sqliteStore } from 'express-platform-auth/stores/sqlite'
import { fakeClock } from 'express-platform-auth/testing'

const auth = createPlatformAuth({ baseUrl: 'https://api.example.com', apis: { orders: { scheme: 'oauth2' } } })
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
export const all = [ConfigurationError, developerConsole, smtpMailer, observe, postgresStore, sqliteStore, fakeClock]
