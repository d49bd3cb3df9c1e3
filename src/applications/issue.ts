import type { Api } from '../contracts/api.js'
import type { ApplicationRecord, CredentialRecord, EmailPurpose } from '../contracts/store.js'
import { isLive, type Credentials, type MintedCredential } from './credentials.js'

/** Fresh credentials for an application: a key, a secret, or both. */
export interface Issue {
  readonly key?: MintedCredential
  readonly secret?: MintedCredential
}

/** What a email brings: one of them in place of an old one, or, for a start, a key and the secret that oauth2 APIs ask for. */
export function issueFor(
  purpose: EmailPurpose,
  credentials: Credentials,
  apis: ReadonlyMap<string, Api>,
  granted: ApplicationRecord['apis'],
  now: number,
): Issue {
  const needsSecret = Object.keys(granted).some((api) => apis.get(api)?.scheme === 'oauth2')
  return {
    ...(purpose !== 'secret' && { key: credentials.mint('key', now) }),
    ...((purpose === 'secret' || (purpose === 'registration' && needsSecret)) && {
      secret: credentials.mint('secret', now),
    }),
  }
}

/** The record's credentials with the fresh ones before them. */
export function withIssue(
  { keys, secrets }: ApplicationRecord,
  { key, secret }: Issue,
): Pick<ApplicationRecord, 'keys' | 'secrets'> {
  return {
    keys: key ? [key.record, ...keys] : keys,
    secrets: secret ? [secret.record, ...secrets] : secrets,
  }
}

/** The record's credentials without those of these hashes. */
export function without(
  { keys, secrets }: Pick<ApplicationRecord, 'keys' | 'secrets'>,
  hashes: readonly string[],
): Pick<ApplicationRecord, 'keys' | 'secrets'> {
  const stays = ({ hash }: CredentialRecord): boolean => !hashes.includes(hash)
  return { keys: keys.filter(stays), secrets: secrets.filter(stays) }
}

/** What is left of older credentials once a new one is there: the newest live one, until the overlap (seconds) ends. */
export function retire(records: readonly CredentialRecord[], now: number, overlap: number): CredentialRecord[] {
  const latest = records.find((record) => isLive(record, now))
  const end = now + overlap * 1000
  if (!latest || end <= now) return []
  return [{ ...latest, expiresAt: Math.min(latest.expiresAt ?? Infinity, end) }]
}

/** The hashes of what was issued. */
export function listHashes({ key, secret }: Issue): string[] {
  return [key, secret].flatMap((minted) => (minted ? [minted.record.hash] : []))
}
