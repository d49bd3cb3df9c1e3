import type { ApplicationRecord, ApplicationStatus, CredentialRecord } from '../contracts/store.js'
import { isLive } from './credentials.js'

/** A live key or secret as `auth.applications` shows it. */
export interface CredentialInfo {
  /** Its first characters, by which people tell one from another. */
  readonly prefix: string
  readonly createdAt: Date
  /** Undefined while it has no end. */
  readonly expiresAt: Date | undefined
  /** Undefined while it has never been used. */
  readonly lastUsedAt: Date | undefined
}

/** An application: what calls the platform's APIs, with the credentials of its owner. */
export interface Application {
  /** Public, and the same for its whole life; `sub` and `client_id` of its access tokens. */
  readonly id: string
  readonly name: string
  /** Where its owner gets emails. */
  readonly contact: string | undefined
  readonly status: ApplicationStatus
  /** What it may use. */
  readonly apis: Readonly<Record<string, { readonly scopes: readonly string[] }>>
  /** Newest first. */
  readonly keys: readonly CredentialInfo[]
  /** Newest first. */
  readonly secrets: readonly CredentialInfo[]
  readonly createdAt: Date
}

/** A record as its operator sees it: live credentials only, and no hashes. */
export function toApplication(record: ApplicationRecord, now: number): Application {
  const { id, name, contact, status, keys, secrets, createdAt } = record
  const describe = (credentials: readonly CredentialRecord[]): CredentialInfo[] =>
    credentials.filter((credential) => isLive(credential, now)).map(toCredentialInfo)
  return {
    id,
    name,
    contact,
    status,
    apis: structuredClone(record.apis),
    keys: describe(keys),
    secrets: describe(secrets),
    createdAt: new Date(createdAt),
  }
}

function toCredentialInfo({ prefix, createdAt, expiresAt, lastUsedAt }: CredentialRecord): CredentialInfo {
  const instant = (milliseconds: number | undefined): Date | undefined =>
    milliseconds === undefined ? undefined : new Date(milliseconds)
  return {
    prefix,
    createdAt: new Date(createdAt),
    expiresAt: instant(expiresAt),
    lastUsedAt: instant(lastUsedAt),
  }
}
