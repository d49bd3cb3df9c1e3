import { options, signingKey, type CallParameters } from '../applications/call-arguments.js'
import type { Readiness, ReadyOptions } from '../store-client/readiness.js'
import type { SessionSecretCalls } from '../store-client/session-secret-api.js'
import type { SigningKeyRotation } from '../tokens/signing-keys-api.js'

/** The options of a call that has them at this place. */
type Given<Call extends (...args: never[]) => unknown, Place extends 0 | 1> = NonNullable<Parameters<Call>[Place]>

/** The parameters of `auth.signingKeys`. */
export const SIGNING_KEY_PARAMETERS: CallParameters<SigningKeyRotation> = {
  list: [],
  rotate: [options<Given<SigningKeyRotation['rotate'], 0>>({ by: 'text', immediately: 'boolean' })],
  revoke: [signingKey, options<Given<SigningKeyRotation['revoke'], 1>>({ by: 'text' })],
}

/** The parameters of `auth.sessionSecret`. */
export const SESSION_SECRET_PARAMETERS: CallParameters<SessionSecretCalls> = {
  replace: [options<Given<SessionSecretCalls['replace'], 0>>({ by: 'text' })],
}

/** The parameters of `auth.ready()`, `auth.health()`, `auth.flush()` and `auth.close()`. */
export const LIFECYCLE_PARAMETERS: CallParameters<Pick<Readiness, 'ready' | 'health' | 'flush' | 'close'>> = {
  ready: [options<ReadyOptions>({ retry: 'boolean' })],
  health: [],
  flush: [],
  close: [],
}
