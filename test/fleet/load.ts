import { setTimeout as sleep } from 'node:timers/promises'
import type { IssuedCredentials, SigningKeyInfo } from '../../src/index.js'
import type { Member } from './fleet.js'

/** The result of a load on a fleet. */
export interface LoadReport {
  readonly requests: number
  /** Requests that were not answered with 200. */
  readonly failures: readonly string[]
}

/**
 * Workers that request an access token from one process, use it at once at another, and use an earlier token and the API key
 * at a third, and then pause for that many milliseconds.
 */
export function startLoad(members: readonly Member[], credentials: IssuedCredentials, workers: number, pause = 1) {
  const failures: string[] = []
  const earlierTokens: string[] = []
  let requests = 0
  const stopping = new AbortController()
  const pickMember = (): Member => members[Math.floor(Math.random() * members.length)]!

  function record(status: number, what: string): void {
    requests += 1
    if (status !== 200) failures.push(`${what}: ${status}`)
  }

  async function work(): Promise<void> {
    while (!stopping.signal.aborted) {
      const [issuer, user, another] = [pickMember(), pickMember(), pickMember()]
      const { status, accessToken } = await issuer.token(credentials)
      record(status, `a token request to ${issuer.name}`)
      if (accessToken !== undefined) {
        record(await user.bearer(accessToken), `a token from ${issuer.name} at ${user.name}`)
        earlierTokens[Math.floor(Math.random() * 200)] = accessToken
      }
      const earlier = earlierTokens[Math.floor(Math.random() * earlierTokens.length)]
      if (earlier !== undefined) record(await another.bearer(earlier), `an earlier token at ${another.name}`)
      record(await another.key(credentials.clientId), `the key at ${another.name}`)
      await sleep(pause)
    }
  }

  const working = Promise.all(Array.from({ length: workers }, work))
  return {
    requests: () => requests,
    async stop(): Promise<LoadReport> {
      stopping.abort()
      await working
      return { requests, failures }
    },
  }
}

/** Rotates at the members in turn until there are `times` new keys, `interval` milliseconds apart. */
export async function rotateRepeatedly(members: readonly Member[], times: number, interval: number): Promise<void> {
  const kids = new Set<string>()
  // A process that does not know the last rotation yet resolves its key instead of making another one.
  for (let i = 0; kids.size < times; i++) {
    const { value } = await members[i % members.length]!.operate<SigningKeyInfo>('signingKeys', 'rotate', {
      immediately: true,
    })
    kids.add(value.kid)
    await sleep(interval)
  }
}
