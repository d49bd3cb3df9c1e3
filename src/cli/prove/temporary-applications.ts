import { ApplicationError, type ApiGrants, type PlatformAuth } from '../../index.js'

/** An application that is deleted when the checks have ended. */
export interface TemporaryApplication {
  readonly id: string
  /** The newest key and secret. A check that replaces one sets it. */
  clientId: string
  /** Empty if no API needs a secret. */
  clientSecret: string
}

/** Creates applications, and deletes all of them again. */
export interface TemporaryApplications {
  create(name: string, apis: ApiGrants): Promise<TemporaryApplication>
  /** Resolves the ids of those that could not be deleted. */
  deleteAll(): Promise<readonly string[]>
}

/** If this process is killed and cannot delete them, their credentials end by themselves. */
const CREDENTIAL_LIFETIME_MS = 3600_000

export function createTemporaryApplications(
  { applications }: PlatformAuth,
  { by, metadata }: { readonly by: string; readonly metadata: object | undefined },
): TemporaryApplications {
  const ids: string[] = []

  async function isDeleted(id: string): Promise<boolean> {
    try {
      await applications.delete(id, { by })
      return true
    } catch (error) {
      // A check has deleted it.
      return error instanceof ApplicationError && GONE.has(error.code)
    }
  }

  return {
    async create(name, apis) {
      const { application, credentials } = await applications.create({ name, apis, by, ...(metadata && { metadata }) })
      const { id, keys, secrets } = application
      ids.push(id)
      const expiresAt = new Date(Date.now() + CREDENTIAL_LIFETIME_MS)
      for (const credential of [...keys, ...secrets]) {
        await applications.updateCredential(id, credential.id, { expiresAt, by })
      }
      return { id, clientId: credentials.clientId, clientSecret: credentials.clientSecret ?? '' }
    },
    async deleteAll() {
      const left: string[] = []
      for (const id of ids) if (!(await isDeleted(id))) left.push(id)
      return left
    },
  }
}

const GONE: ReadonlySet<string> = new Set(['application_not_found', 'invalid_state'])
