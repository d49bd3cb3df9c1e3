import { setTimeout as sleep } from 'node:timers/promises'
import type { IssuedCredentials, SigningKeyInfo } from '../../src/index.js'
import type { Member } from './fleet.js'

/** What a load on a fleet has come to. */
export interface LoadReport {
  readonly requests: number
  /** Of requests that all should have been answered with 200. */
  readonly failures: readonly string[]
}

/**
 * Some workers, each of whom gets an access token from one process and uses it at once at another, where it tries one of
 * those of before too, and the API key.
 */
export function load(members: readonly Member[], credentials: IssuedCredentials, workers: number) {
  const failures: string[] = []
  const kept: string[] = []
  let requests = 0
  const over = new AbortController()
  const any = (): Member => members[Math.floor(Math.random() * members.length)]!

  function note(status: number, what: string): void {
    requests += 1
    if (status !== 200) failures.push(`${what}: ${status}`)
  }

  async function work(): Promise<void> {
    while (!over.signal.aborted) {
      const [issuer, user, another] = [any(), any(), any()]
      const { status, accessToken } = await issuer.token(credentials)
      note(status, `a token request to ${issuer.name}`)
      if (accessToken !== undefined) {
        note(await user.bearer(accessToken), `a token from ${issuer.name} at ${user.name}`)
        kept[Math.floor(Math.random() * 200)] = accessToken
      }
      const former = kept[Math.floor(Math.random() * kept.length)]
      if (former !== undefined) note(await another.bearer(former), `an earlier token at ${another.name}`)
      note(await another.key(credentials.clientId), `the key at ${another.name}`)
      await sleep(1)
    }
  }

  const working = Promise.all(Array.from({ length: workers }, work))
  return {
    async stop(): Promise<LoadReport> {
      over.abort()
      await working
      return { requests, failures }
    },
  }
}

/** Rotates, now here and now there, until there have been so many new keys, with a pause of so many milliseconds after each. */
export async function rotateAgainAndAgain(members: readonly Member[], times: number, pause: number): Promise<void> {
  const kids = new Set<string>()
  // A process that has not heard of the last rotation yet takes itself for one of those who made it.
  for (let i = 0; kids.size < times; i++) {
    const { value } = await members[i % members.length]!.operate<SigningKeyInfo>('signingKeys', 'rotate', {
      immediately: true,
    })
    kids.add(value.kid)
    await sleep(pause)
  }
}
