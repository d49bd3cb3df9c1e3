import { isDeepStrictEqual } from 'node:util'
import { ConfigurationError, StoreUnavailableError, invalidState } from '../../shared/contracts/errors.js'
import { signWithStoredKey } from './access-token.js'
import type { SigningKey } from './key-pairs.js'
import {
  CLOCK_SKEW_SECONDS,
  createAuditRecord,
  removeKey,
  resealOldKeys,
  type KeyRotation,
  type KeyRotationOptions,
} from './key-rotation.js'
import {
  describeSigningKeys,
  findCurrentKey,
  isOfSigner,
  selectVerifyingKeys,
  type SigningKeyInfo,
} from './key-schedule.js'
import { canSign } from './signing-keys.js'
import { createSignerClient } from './signer-client.js'
import { readSignerKeys, type ListedKey } from './signer-list.js'
import { describeRecord } from './signing-key-record.js'

const LIST_AGE_MS = 10_000
/** Each step adds or removes one key, or another process was faster. */
const MAX_STEPS = 30

/**
 * The keys of a signer (`tokens.signer`). The store has the public ones, and since when they are published: so all processes publish and
 * verify with the same keys, whichever has read the signer's list first, and those go on while the signer does not answer.
 */
export function createSignerKeys(
  options: KeyRotationOptions,
  signer: Parameters<typeof createSignerClient>[0],
  logger: Parameters<typeof createSignerClient>[1],
): Required<KeyRotation> {
  const { store, encryption, signingKeys, publishAhead, longestLifetime, now, emit } = options
  const client = createSignerClient(signer, logger)
  let listed: readonly ListedKey[] = []
  /** The list whose keys were added to the store, and the others removed. */
  let followed: readonly ListedKey[] = []
  let mistake: ConfigurationError | undefined
  let reading: Promise<void> | undefined
  let readAt = -Infinity

  async function readList(): Promise<void> {
    readAt = performance.now()
    const list = await client.list((answer) => readSignerKeys(answer, signingKeys.list()))
    mistake = list instanceof ConfigurationError ? list : undefined
    if (list && !(list instanceof ConfigurationError)) listed = list
    await follow()
  }

  /** Rejects if the store does not answer. */
  function refresh(): Promise<void> {
    return (reading ??= readList().finally(() => (reading = undefined)))
  }

  /** Only a list that is new to this process changes the store: of two processes, none undoes what the newer list has done. */
  async function follow(): Promise<void> {
    const isNew = !isDeepStrictEqual(listed, followed)
    if (!isNew && listed.every(({ kid }) => signingKeys.verifies(kid))) return
    const following = listed
    for (let step = 0; step < MAX_STEPS && (await takeStep(following, isNew)); step++);
    await signingKeys.load()
    followed = following
  }

  /** False if there is nothing to change. */
  async function takeStep(keys: readonly ListedKey[], isNew: boolean): Promise<boolean> {
    // Read before those that verify: a key that another process adds meanwhile is not taken for one that no longer verifies.
    const stored = await store.listSigningKeys()
    const isStored = (kid: string): boolean => stored.some((record) => record.kid === kid)
    const verifying = selectVerifyingKeys(await signingKeys.readRecords(), now())
    const missing = keys.find(({ kid }) => !verifying.some((key) => key.kid === kid) && (isNew || isStored(kid)))
    // It has ended, because stored keys have signed in the meantime, or somebody else has written it.
    if (missing && isStored(missing.kid)) await removeKey(options, missing.kid, undefined)
    else if (missing) await add(missing, { isFirst: verifying.length === 0, newest: stored.at(-1)?.kid })
    if (missing) return true
    const unlisted = verifying.find((key) => isNew && isOfSigner(key) && !keys.some(({ kid }) => kid === key.kid))
    if (!unlisted) return false
    if (await removeKey(options, unlisted.kid, undefined)) emit('signingKey.revoked', {})
    return true
  }

  async function add(
    { kid, algorithm, publicJwk }: ListedKey,
    { isFirst, newest }: { readonly isFirst: boolean; readonly newest: string | undefined },
  ): Promise<void> {
    const createdAt = now()
    const key = {
      kid,
      algorithm,
      publicJwk: { ...publicJwk, signer: true },
      createdAt,
      signsFrom: createdAt + (isFirst ? 0 : publishAhead * 1000),
      formerVerifiesFor: longestLifetime + CLOCK_SKEW_SECONDS,
    }
    // Nothing is secret, and everything is authenticated.
    const sealedPrivateJwk = await encryption.seal('{}', describeRecord(key))
    const audit = createAuditRecord('signingKey.rotated', createdAt, undefined, kid)
    if (await store.addSigningKey({ ...key, sealedPrivateJwk }, newest, audit)) emit('signingKey.rotated', {})
  }

  /** The first that is published for long enough; else the stored key, and at last any, because there must be one. */
  function findCurrent(): SigningKey | undefined {
    const keys = signingKeys.list()
    const usable = listed.flatMap(({ kid }) => keys.find((key) => key.kid === kid) ?? [])
    const current = usable.find((key) => key.signsFrom <= now() && key.verifiesUntil === undefined)
    if (current) return current
    const scheduled = findCurrentKey(keys, now())
    return scheduled && (canSign(scheduled) || usable.includes(scheduled)) ? scheduled : usable[0]
  }

  return {
    async list() {
      // One that is being read may have been answered before a change.
      await reading?.catch(() => undefined)
      await refresh()
      const signs = findCurrent()?.kid
      const items = describeSigningKeys(signingKeys.list(), now()).map((key): SigningKeyInfo => ({
        ...key,
        state: key.kid === signs ? 'current' : key.signsFrom.getTime() > now() ? 'next' : 'former',
      }))
      return { items }
    },
    rotate: refuse,
    revoke: refuse,
    async ensure() {
      await resealOldKeys(options)
      await signingKeys.load()
      const read = refresh()
      // Guards go on with the keys that are stored. A mistake of the first start ends it.
      if (signingKeys.list().some(({ ofSigner }) => ofSigner)) read.catch(() => undefined)
      else await read.then(() => mistake && Promise.reject(mistake))
    },
    rotateWhenOlderThan: refresh,
    async sign(payload, caller) {
      if (!findCurrent()) await refresh()
      // Without timers (`background: false`) nothing else reads it.
      else if (performance.now() - readAt > LIST_AGE_MS) refresh().catch(() => undefined)
      const key = findCurrent()
      if (!key) throw new StoreUnavailableError('tokens.signer has listed no key.')
      if (canSign(key) && !listed.some(({ kid }) => kid === key.kid)) return signWithStoredKey(key, payload)
      try {
        return await client.sign(key, payload, caller)
      } catch (error) {
        // The key may have been removed. The next request uses the new list.
        refresh().catch(() => undefined)
        throw error
      }
    },
    problems: client.problems,
  }
}

function refuse(): Promise<never> {
  const message = 'The signer decides which keys sign: change what list() of tokens.signer resolves, and list the keys.'
  return Promise.reject(invalidState(message))
}
