import { withEnd } from '../../../shared/lib/temporary.js'
import { ApplicationError, type ApiGrants, type PlatformAuth } from '../../../index.js'

/** An application that is deleted when the checks have ended. */
export interface TemporaryApplication {
  readonly id: string
  readonly clientId: string
  /** Empty if no API needs a secret. */
  readonly clientSecret: string
}

/** For clocks of servers that differ, and for the deletion at the end. */
const LEEWAY_MS = 30 * 60_000

interface TemporaryApplicationsOptions {
  readonly by: string
  readonly metadata: object | undefined
  /** Seconds after which the checks end. */
  readonly timeout: number
}

/** Creates applications, and deletes all of them again. If this process is killed and cannot delete them, they end by themselves, and a server deletes them. */
export function createTemporaryApplications(
  { applications }: PlatformAuth,
  { by, metadata, timeout }: TemporaryApplicationsOptions,
) {
  const ids: string[] = []

  async function isDeleted(id: string): Promise<boolean> {
    try {
      await applications.delete(id, { by })
      return true
    } catch (error) {
      // Somebody else has deleted it.
      return error instanceof ApplicationError && GONE.has(error.code)
    }
  }

  return {
    async create(name: string, apis: ApiGrants): Promise<TemporaryApplication> {
      const given = { name, apis, by, ...(metadata && { metadata }) }
      const endsAt = Date.now() + timeout * 1000 + LEEWAY_MS
      const { application, credentials } = await applications.create(withEnd(given, endsAt))
      const { id } = application
      ids.push(id)
      return { id, clientId: credentials.clientId, clientSecret: credentials.clientSecret ?? '' }
    },
    /** Resolves the ids of those that could not be deleted. */
    async deleteAll(): Promise<readonly string[]> {
      const left: string[] = []
      for (const id of ids) if (!(await isDeleted(id))) left.push(id)
      return left
    },
  }
}

const GONE: ReadonlySet<string> = new Set(['application_not_found', 'invalid_state'])
