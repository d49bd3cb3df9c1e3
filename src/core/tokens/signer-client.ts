import { types } from 'node:util'
import { compactVerify } from 'jose/jws/compact/verify'
import { ConfigurationError, StoreUnavailableError } from '../../shared/contracts/errors.js'
import type { Logger } from '../../shared/contracts/logger.js'
import { createConcurrencyLimit } from '../../shared/lib/concurrency-limit.js'
import { CALL_TIMEOUT_MS, withTimeout } from '../../shared/lib/timeout.js'
import type { CoreSettings } from '../options/settings.js'
import type { SigningKey } from './signing-key.js'

/** Vaults bound the calls of a second too. What waits is bounded by time, and memory by this number. */
const LIMITS = { atOnce: 64, waiting: 1000 }
/** Bytes: RSA with 8192 bits. */
const MAX_SIGNATURE_LENGTH = 1024
/** Bytes of each number of an ECDSA signature (RFC 7518 3.4). */
const ECDSA_SIZES: Readonly<Record<string, number>> = { ES256: 32, ES384: 48, ES512: 66 }

/** Asks a signer, within bounds of time and number. What it answers is trusted only when it is verified. */
export function createSignerClient(
  signer: NonNullable<CoreSettings['tokens']['signer']>,
  logger: Pick<Logger, 'error'>,
) {
  const limit = createConcurrencyLimit({
    ...LIMITS,
    onOverflow: () => new StoreUnavailableError(`${LIMITS.waiting} signatures of tokens.signer are waited for.`),
  })
  const problems = new Map<'list' | 'sign', string>()

  function report(call: 'list' | 'sign', problem: string, cause?: unknown): void {
    if (problems.get(call) !== problem) logger.error(problem, ...(cause === undefined ? [] : [cause]))
    problems.set(call, problem)
  }

  /** Resolves the compact JWS (RFC 7515 3.1). Rejects with `StoreUnavailableError` if there is no right signature in time. */
  async function sign(key: SigningKey, payload: Uint8Array, caller: string): Promise<string> {
    const input = `${encode(JSON.stringify({ alg: key.algorithm, kid: key.kid, typ: 'at+jwt' }))}.${encode(payload)}`
    try {
      const signature = await ask(
        (signal) => signer.sign(key.kid, Buffer.from(input), { signal }),
        (work) => limit(caller, work),
      )
      const token = `${input}.${encode(toJwsSignature(signature, key.algorithm))}`
      // A remote call takes many times as long. So neither a broken signer nor another one's answer ever leaves the platform.
      await compactVerify(token, key.publicKey, { algorithms: [key.algorithm] })
      problems.delete('sign')
      return token
    } catch (cause) {
      if (cause instanceof StoreUnavailableError) throw cause
      const problem = `tokens.signer gives no right signature with the key ${key.kid}: access tokens cannot be issued.`
      report('sign', problem, cause)
      throw new StoreUnavailableError(problem, { cause })
    }
  }

  return {
    /** Resolves what the signer lists, as `read` reads it, or the error of `read`; undefined if the signer does not answer. */
    async list<List>(read: (answer: unknown) => List): Promise<List | ConfigurationError | undefined> {
      try {
        const list = read(await ask((signal) => signer.list({ signal })))
        problems.delete('list')
        return list
      } catch (error) {
        if (error instanceof ConfigurationError) {
          report('list', error.message)
          return error
        }
        report('list', 'tokens.signer does not list its keys: those that are known go on.', error)
        return undefined
      }
    },
    sign,
    problems: () => [...problems.values()],
  }
}

/** Calls the signer. Rejects after 5 seconds, waiting included; the place of a call that never ends is free then too. */
function ask<Answer>(
  call: (signal: AbortSignal) => Promise<Answer>,
  limit: (work: () => Promise<Answer>) => Promise<Answer> = (work) => work(),
): Promise<Answer> {
  const controller = new AbortController()
  const { signal } = controller
  const aborted = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  // A call that waited for too long is not made.
  const work = async (): Promise<Answer> => (signal.aborted ? aborted : Promise.race([call(signal), aborted]))
  aborted.catch(() => undefined)
  return withTimeout(limit(work), CALL_TIMEOUT_MS, () => {
    const error = new Error('The signer has not answered within 5 seconds.')
    controller.abort(error)
    return error
  })
}

function encode(part: string | Uint8Array): string {
  return Buffer.from(part).toString('base64url')
}

/** The signature as a JWS has it. AWS, Google Cloud and OpenSSL give those of ECDSA in DER (RFC 3279 2.2.3), Azure and PKCS#11 r || s. */
function toJwsSignature(signature: unknown, algorithm: string): Uint8Array {
  if (!types.isUint8Array(signature) || signature.length > MAX_SIGNATURE_LENGTH)
    throw new Error('sign() has resolved no Uint8Array, or one that is too long.')
  const size = ECDSA_SIZES[algorithm]
  return (size !== undefined && signature.length !== 2 * size && readDer(signature, size)) || signature
}

/** SEQUENCE { r INTEGER, s INTEGER } as r || s, each of `size` bytes; undefined for other bytes. */
function readDer(der: Uint8Array, size: number): Uint8Array | undefined {
  // A length above 127 takes two bytes (ES512).
  const start = der[1] === 0x81 ? 3 : 2
  if (der[0] !== 0x30 || der[start - 1] !== der.length - start) return undefined
  const result = new Uint8Array(2 * size)
  let at = start
  for (const end of [size, 2 * size]) {
    const length = der[at + 1] ?? 0
    if (der[at] !== 0x02 || at + 2 + length > der.length) return undefined
    const number = der.subarray(at + 2, at + 2 + length)
    const digits = number.subarray(number.findIndex((byte) => byte !== 0))
    if (digits.length > size) return undefined
    result.set(digits, end - digits.length)
    at += 2 + length
  }
  return at === der.length ? result : undefined
}
