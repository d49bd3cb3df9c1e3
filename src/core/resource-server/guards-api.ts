import type { ApiName, ApisOptions, ScopeOf } from '../../shared/contracts/api.js'
import type { MetadataOutput, MetadataSchema } from '../../shared/contracts/metadata-schema.js'
import type { AccessTokenInfo, ApiKeyInfo, AuthInfo } from './identity.js'
import type { ApiKeyGuardOptions, BearerGuardOptions, GuardOptions, VerifyOptions } from './guard-options.js'
import type { Guard } from './guard.js'

/** The members of `auth` for routes: guards, and the same checks outside of requests. */
export interface GuardsApi<Apis extends ApisOptions, Schema extends MetadataSchema> {
  /** A guard for the only oauth2 API. */
  requireBearer(
    ...options: WhereOnlyOne<
      ApiName<Apis, 'oauth2'>,
      BearerGuardOptions<ScopeOf<Apis, ApiName<Apis, 'oauth2'>>, MetadataOutput<Schema>>
    >
  ): Guard
  /**
   * A guard for a route of an oauth2 API: calls `next()` for a request with a valid access token, and refuses every other
   * (RFC 6750). Throws `ConfigurationError` for an unknown API or scope.
   */
  requireBearer<Name extends ApiName<Apis, 'oauth2'>>(
    api: Name,
    options?: BearerGuardOptions<ScopeOf<Apis, Name>, MetadataOutput<Schema>>,
  ): Guard
  /** A guard for the only key API. */
  requireApiKey(
    ...options: WhereOnlyOne<
      ApiName<Apis, 'apiKey'>,
      ApiKeyGuardOptions<ScopeOf<Apis, ApiName<Apis, 'apiKey'>>, MetadataOutput<Schema>>
    >
  ): Guard
  /**
   * A guard for a route of a key API: calls `next()` for a request with a valid key in its header, and refuses every other. Throws
   * `ConfigurationError` for an unknown API or scope.
   */
  requireApiKey<Name extends ApiName<Apis, 'apiKey'>>(
    api: Name,
    options?: ApiKeyGuardOptions<ScopeOf<Apis, Name>, MetadataOutput<Schema>>,
  ): Guard
  /**
   * A guard for a route that several kinds of credentials may use. The first of these guards for which a request has a
   * credential decides; a bad credential is refused. Without one the answer is 401 with the challenges of all. Throws
   * `ConfigurationError` for guards of another platform, and for two that read one header.
   *
   * @example
   * ```ts
   * import express from 'express'
   * import { authOf, createPlatformAuth } from 'express-platform-auth'
   *
   * const auth = createPlatformAuth({
   *   baseUrl: 'http://localhost:3000',
   *   apis: { orders: { scheme: 'oauth2' }, catalog: { scheme: 'apiKey' } },
   * })
   * const either = auth.requireAny([auth.requireBearer('orders'), auth.requireApiKey('catalog')])
   * express().get('/prices', either, (req, res) => void res.json({ api: authOf(req).api }))
   * ```
   */
  requireAny(guards: readonly Guard[], options?: GuardOptions): Guard
  /** Like `authOf(req, api)`, with the type of the schema `metadata` for the application's `metadata`. */
  of(req: object, api?: keyof Apis & string): AuthInfo<MetadataOutput<Schema>>
  /**
   * Verifies an access token without a guard, as a bearer guard without scopes does: check `scopes` yourself. Rejects with the
   * guard's refusal as an `OAuthError`.
   */
  verifyAccessToken(
    api: ApiName<Apis, 'oauth2'>,
    token: string,
    options?: VerifyOptions,
  ): Promise<AccessTokenInfo<MetadataOutput<Schema>>>
  /**
   * Verifies an API key without a guard, as a key guard without scopes does: check `scopes` yourself. Rejects with the guard's
   * refusal as an `OAuthError`.
   */
  verifyApiKey(
    api: ApiName<Apis, 'apiKey'>,
    key: string,
    options?: VerifyOptions,
  ): Promise<ApiKeyInfo<MetadataOutput<Schema>>>
}

/** An optional argument if the union `Name` has exactly one member; otherwise an argument of type `never`. */
type WhereOnlyOne<Name, Argument> = [Name] extends [never]
  ? [thereIsNone: never]
  : [Name] extends [UnionToIntersection<Name>]
    ? [options?: Argument]
    : [nameTheApi: never]
type UnionToIntersection<Union> = (Union extends unknown ? (each: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never
