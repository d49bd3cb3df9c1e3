import type { Api } from '../contracts/api.js'
import type { ApplicationRecord } from '../contracts/application-record.js'
import type { AccessToken } from '../tokens/verified-token.js'
import type { AuthInfo } from './auth-info.js'
import { describeCaller, describeToken } from './describe-caller.js'

/**
 * An authenticated application, and its rights at one API. It is a class, not an object literal, for the reason at
 * `PassportRequest`: requests refer to it.
 */
export class Identity {
  readonly api: Api
  readonly application: ApplicationRecord
  /** The scopes of the access token that are still granted, or those of the key. */
  readonly scopes: readonly string[]
  readonly token: AccessToken | undefined

  constructor(api: Api, application: ApplicationRecord, scopes: readonly string[], token: AccessToken | undefined) {
    this.api = api
    this.application = application
    this.scopes = scopes
    this.token = token
  }

  /**
   * Each call returns a new object, because its caller may change it. It is a method, so that another copy of this package can
   * call it.
   */
  toAuthInfo(): AuthInfo {
    const caller = { api: this.api.name, application: describeCaller(this.application), scopes: [...this.scopes] }
    return this.token
      ? { scheme: 'oauth2', ...caller, token: describeToken(this.token) }
      : { scheme: 'apiKey', ...caller }
  }
}
