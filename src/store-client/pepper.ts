import { randomBytes } from 'node:crypto'
import type { Store } from '../contracts/store.js'
import type { Encryption } from './encryption.js'

/** The store's pepper: 256 random bits, created by the first process on it. Encrypts it again where an older secret was used. */
export async function openPepper(store: Store, encryption: Encryption): Promise<Buffer> {
  const sealed = await store.establishPepper(await encryption.seal(randomBytes(32).toString('base64url')))
  const pepper = await encryption.unseal(sealed)
  if (!encryption.isNewest(sealed)) await store.resealPepper(sealed, await encryption.seal(pepper))
  return Buffer.from(pepper, 'base64url')
}
