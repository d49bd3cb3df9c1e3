import { ApplicationError, type PlatformAuth } from '../../../index.js'
import { withEnd } from '../../../shared/lib/temporary.js'

export type TemporaryApplication = Awaited<ReturnType<typeof createTemporaryApplication>>

/** For clocks of servers that differ, and for the deletion at the end. */
const LEEWAY_MS = 30 * 60_000

/** Creates an application that may use every API. If this process is killed and cannot delete it, it ends by itself, and a server deletes it. */
export async function createTemporaryApplication(
  { applications, apis }: PlatformAuth,
  options: {
    readonly by: string
    readonly metadata: object | undefined
    readonly timeout: number
    readonly services: boolean
  },
) {
  const { by, metadata, timeout, services } = options
  const names = apis.map(({ name }) => name)
  const given = {
    name: 'Temporary application of prove',
    apis: names,
    ...(services && { resourceServer: names }),
    by,
    ...(metadata && { metadata }),
  }
  const { application, credentials } = await applications.create(
    withEnd(given, Date.now() + timeout * 1000 + LEEWAY_MS),
  )
  const { id } = application
  return {
    id,
    clientId: credentials.clientId,
    /** Empty if no API needs a secret. */
    clientSecret: credentials.clientSecret ?? '',
    async delete(): Promise<boolean> {
      try {
        await applications.delete(id, { by })
        return true
      } catch (error) {
        // Somebody else has deleted it.
        return error instanceof ApplicationError && ['application_not_found', 'invalid_state'].includes(error.code)
      }
    },
  }
}
