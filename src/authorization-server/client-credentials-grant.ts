import type { ApiSettings } from '../options/settings.js'
import { findGrant } from '../applications/grants.js'
import { OAuthError } from '../contracts/errors.js'
import type { Form } from '../http/form.js'
import type { ApplicationRecord } from '../contracts/store.js'

/** What an application is granted at an API for this request (RFC 6749 4.4): the scopes, or an `OAuthError`. */
export function grantScopes(api: ApiSettings, application: ApplicationRecord, form: Form): readonly string[] {
  const access = findGrant(application, api)
  if (!access) throw new OAuthError('unauthorized_client', 'The application may not use this API')

  const scopes = chooseScopes(grantedScopes(api, application), form.get('scope'))
  const resource = form.get('resource')
  if (resource !== undefined && resource !== api.resource) {
    throw new OAuthError('invalid_target', `The resource is not this API; its identifier is ${api.resource}`)
  }
  return scopes
}

/** What the application has there today: its grant, less the scopes that the API no longer has. */
function grantedScopes(api: ApiSettings, application: ApplicationRecord): readonly string[] {
  const granted = findGrant(application, api)?.scopes ?? []
  return Object.keys(api.scopes).filter((scope) => granted.includes(scope))
}

/** RFC 6749 3.3: the scopes asked for, or all of them where the client asks for none. */
function chooseScopes(granted: readonly string[], asked: string | undefined): readonly string[] {
  if (asked === undefined) return granted
  const scopes = [...new Set(asked.split(' '))]
  // A scope that is malformed is no scope of anything.
  if (scopes.every((scope) => granted.includes(scope))) return scopes
  throw new OAuthError(
    'invalid_scope',
    'The scope is malformed, or holds something that the application has not been granted',
  )
}
