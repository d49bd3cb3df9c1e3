import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey } from 'jose'
import { expect, it } from 'vitest'
import { mayPass } from '../../../src/core/authorization-server/client-authentication.js'
import { createAssertionReader } from '../../../src/core/authorization-server/private-key-jwt.js'
import { EMPTY_APPLICATION } from '../../../src/shared/lib/own-record.js'
import { createKeySetRecord } from '../../../src/core/applications/credentials/key-sets.js'
import { createMemoryAssertions } from '../../../src/stores/memory/ended-tokens.js'
import type { ApplicationStatus, PublicJwk } from '../../../src/shared/contracts/application-record.js'
import type { ClientApi } from '../../../src/core/http/client-credentials.js'
import { IS_LONG_LANE } from '../../support/long-lane.js'

const ISSUER = 'https://api.example.com/payments'
const TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const API = { name: 'payments', resource: ISSUER, tokenEndpoint: `${ISSUER}/token` } as ClientApi
const REQUEST = {} as IncomingMessage

/** Reads assertions as a platform does, without HTTP. `others`: further key sets of the client, which are newer than its own. */
async function openReader(algorithm: string, others: readonly (readonly PublicJwk[])[] = []) {
  const { privateKey, publicKey } = await generateKeyPair(algorithm)
  const jwk = (await exportJWK(publicKey)) as PublicJwk
  let now = Date.now()
  const memory = createMemoryAssertions()
  const kept = new Map<string, number>()
  const add: typeof memory.add = async (assertion, bounds) => {
    const added = await memory.add(assertion, bounds)
    if (added === 'added') kept.set(assertion.hash, assertion.expiresAt)
    return added
  }
  const application = {
    ...EMPTY_APPLICATION,
    id: 'app_known',
    apis: {},
    name: 'Bank',
    contact: undefined,
    isUnconfirmed: false,
    language: undefined,
    status: 'active' as ApplicationStatus,
    createdAt: 0,
    tokensRevokedAt: 0,
    version: 1,
    keys: [],
    secrets: [...others, [{ ...jwk, kid: 'own' }]].map((keys) => createKeySetRecord({ keys }, 0)),
  } as const
  let status: ApplicationStatus = 'active'
  const read = createAssertionReader({
    findClient: async (id) =>
      id === 'app_known' ? { application: { ...application, status }, client: id } : undefined,
    mayPass,
    store: { assertions: { add } },
    allow: [],
    tokenEndpointAudience: false,
    clockTolerance: 5,
    // Keys that have no address have no outages to tell of.
    writer: {
      change: (): never => {
        throw new Error('Unused')
      },
    },
    limitChanges: (_, call) => call(),
    wakeSender() {},
    emit() {},
    logger: console,
    now: () => now,
  })
  async function sign(clientId: string, jti: string, key: CryptoKey = privateKey, kid?: string): Promise<string> {
    const exp = Math.floor(now / 1000) + 60
    const claims = { iss: clientId, sub: clientId, aud: ISSUER, jti, exp }
    return new SignJWT(claims).setProtectedHeader({ alg: algorithm, ...(kid && { kid }) }).sign(key)
  }
  const send = (assertion: string) => {
    const form = new Map([
      ['client_assertion_type', TYPE],
      ['client_assertion', assertion],
    ])
    return read(REQUEST, form, API)
  }
  return {
    privateKey,
    sign,
    send,
    kept,
    advance: (seconds: number) => void (now += seconds * 1000),
    become: (given: ApplicationStatus) => void (status = given),
    now: () => now,
  }
}

it(
  'many replays and forgeries are refused, and leave nothing in the store and the heap',
  { timeout: 1_200_000 },
  async () => {
    const count = IS_LONG_LANE ? 1_000_000 : 600
    const { sign, send, kept } = await openReader('ES256')
    const used = await sign('app_known', 'once')
    expect((await send(used)).reason).toBeUndefined()
    const [header, payload, signature] = used.split('.')
    const forge = (index: number): string => {
      const claims = JSON.parse(Buffer.from(payload!, 'base64url').toString()) as object
      const forged = { ...claims, jti: `forged-${index}` }
      return `${header}.${Buffer.from(JSON.stringify(forged)).toString('base64url')}.${signature}`
    }
    const measureHeap = (): number => {
      globalThis.gc?.()
      return process.memoryUsage().heapUsed
    }
    for (let index = 0; index < count / 2; index++) await send(forge(index))
    const before = measureHeap()
    const outcomes = new Map<string | undefined, number>()
    for (let index = 0; index < count; index++) {
      const { reason } = await send(index % 2 === 0 ? used : forge(index))
      outcomes.set(reason, (outcomes.get(reason) ?? 0) + 1)
    }
    expect(Object.fromEntries(outcomes)).toEqual({ replayed_assertion: count / 2, wrong_assertion: count / 2 })
    expect([...kept.keys()]).toEqual([createHash('sha256').update('once').digest('base64url')])
    expect(measureHeap() - before).toBeLessThan(64 * 1024 * 1024)
  },
)

it('an assertion is tried with few of the keys of a client that has many: it names the one that signed it', async () => {
  const { publicKey } = await generateKeyPair('ES256')
  const other = (await exportJWK(publicKey)) as PublicJwk
  const createOthers = (sets: number) =>
    Array.from({ length: sets }, (_, set) =>
      Array.from({ length: 10 }, (__, at) => ({ ...other, kid: `${set}-${at}` })),
    )
  for (const [sets, reason] of [
    [1, undefined],
    [2, 'wrong_assertion'],
  ] as const) {
    const { privateKey, sign, send } = await openReader('ES256', createOthers(sets))
    expect((await send(await sign('app_known', 'unnamed'))).reason).toBe(reason)
    expect((await send(await sign('app_known', 'named', privateKey, 'own'))).reason).toBeUndefined()
  }
})

it('an application that may not pass uses nothing up, and is judged again where another process has resumed it', async () => {
  const { sign, send, kept, become } = await openReader('ES256')
  const assertion = await sign('app_known', 'once')
  become('suspended')
  expect((await send(assertion)).reason).toBeUndefined()
  expect(kept.size).toBe(0)
  become('active')
  expect((await send(assertion)).reason).toBeUndefined()
  expect((await send(assertion)).reason).toBe('replayed_assertion')
})

it('what was used is kept longer than any process would take it, also one whose clock is five minutes ahead or behind', async () => {
  const { sign, send, kept, now, advance } = await openReader('ES256')
  const assertion = await sign('app_known', 'once')
  expect((await send(assertion)).reason).toBeUndefined()
  const [expiresAt = 0] = kept.values()
  expect(expiresAt).toBeGreaterThanOrEqual(now() + (60 + 5 + 300 - 1) * 1000)
  advance(63)
  expect((await send(assertion)).reason).toBe('replayed_assertion')
})

it('a forged assertion of an unknown client takes about as long as one of a client that has such a key', async () => {
  // A verification with P-384 is by far the most that either costs.
  const { sign, send } = await openReader('ES384')
  const { privateKey: stranger } = await generateKeyPair('ES384')
  const [unknown, known] = [await sign('app_unknown', 'a', stranger), await sign('app_known', 'a', stranger)]
  async function measure(assertion: string): Promise<number> {
    const start = performance.now()
    expect((await send(assertion)).reason).toBe('wrong_assertion')
    return performance.now() - start
  }
  const times = { unknown: [] as number[], known: [] as number[] }
  for (let round = 0; round < 41; round++) {
    times.unknown.push(await measure(unknown))
    times.known.push(await measure(known))
  }
  const median = (of: number[]): number => of.toSorted((one, other) => one - other)[Math.floor(of.length / 2)]!
  expect(median(times.unknown)).toBeGreaterThan(median(times.known) / 3)
})
