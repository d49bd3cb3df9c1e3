import type { Api } from '../contracts/api.js'
import type { ApplicationWriter } from './application-writer.js'
import {
  toApplication,
  toCredentialInfo,
  type AddCredentialOptions,
  type Application,
  type Applications,
  type CredentialInfo,
} from './applications-api.js'
import { findLatestExpiry, refuseLaterExpiry, type MaximumAges } from './credential-expiry.js'
import { addCredential, LISTS, refuseTakenName } from './credential-lists.js'
import type { CredentialKind, Credentials } from './credentials.js'
import { describeCredential, formatEnd } from './named-credentials.js'
import { readRestriction } from './restrictions.js'
import { refuseDeleted } from './status.js'
import { readName, readExpiresAt } from './validation.js'

interface CredentialCreationOptions {
  readonly apis: ReadonlyMap<string, Api>
  readonly writer: ApplicationWriter
  /** Resolves once the store is open. */
  readonly opened: () => Promise<Credentials>
  readonly maximumAges: MaximumAges
  readonly now: () => number
}

/** The calls that give an application a further key or secret. */
export function createCredentialCreation(
  options: CredentialCreationOptions,
): Pick<Applications, 'addKey' | 'addSecret'> {
  const { apis, writer, opened, maximumAges, now } = options

  async function add(
    id: string,
    kind: CredentialKind,
    given: AddCredentialOptions,
  ): Promise<{ application: Application; credential: CredentialInfo; plain: string }> {
    const name = readName(given.name)
    const createdAt = now()
    const expiresAt = given.expiresAt === undefined ? undefined : readExpiresAt(given.expiresAt, createdAt)
    const restrict = readRestriction(apis, kind, given)
    const credentials = await opened()
    const event = { type: 'application.credentialAdded', by: given.by } as const
    const { record, result } = await writer.change(id, event, (current) => {
      refuseDeleted(current, kind === 'key' ? 'addKey' : 'addSecret')
      const list = current[LISTS[kind]]
      refuseTakenName(list, kind, name, createdAt)
      const terms = { name, apis: restrict(current), expiresAt: expiresAt ?? undefined }
      const use = { kind, granted: current.apis, restriction: terms.apis }
      if (terms.expiresAt !== undefined)
        refuseLaterExpiry(terms.expiresAt, findLatestExpiry(maximumAges, use, createdAt))
      const minted = credentials.mint(kind, createdAt, terms)
      return {
        changed: { [LISTS[kind]]: addCredential(list, minted.record, createdAt) },
        details: {
          ...describeCredential(kind, minted.record),
          ...(terms.expiresAt !== undefined && { expiresAt: formatEnd(terms.expiresAt) }),
          ...(terms.apis && { apis: terms.apis }),
        },
        result: minted,
      }
    })
    const { plain, record: minted } = result!
    // As it was saved: with the end of its maximum age.
    const credential = record[LISTS[kind]].find(({ id }) => id === minted.id)!
    return { application: toApplication(record, createdAt), credential: toCredentialInfo(credential), plain }
  }

  return {
    async addKey(id, given) {
      const { plain, ...added } = await add(id, 'key', given)
      return { ...added, credentials: { clientId: plain } }
    },
    async addSecret(id, given) {
      const { plain, ...added } = await add(id, 'secret', given)
      return { ...added, credentials: { clientSecret: plain } }
    },
  }
}
