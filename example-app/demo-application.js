// @ts-check
import { readPrivately, writePrivately } from './private-file.js'

/** @typedef {{ applicationId: string, clientId: string, clientSecret: string }} DemoCredentials */

/**
 * The credentials of the demo application: from their file, or, where it is lost or belongs to another database, those
 * of a new application. The platform itself could not show them again: it keeps hashes only.
 * @param {import('./platform.js').Platform} auth
 * @param {string} file
 * @returns {Promise<DemoCredentials>}
 */
export async function demoCredentials(auth, file) {
  const kept = readDemoCredentials(file)
  if (kept && (await areLive(auth, kept))) return kept
  const { application, credentials } = await auth.applications.create({
    name: 'Demo application',
    apis: ['orders', 'catalog'],
    by: 'example-app',
  })
  const { clientId, clientSecret = '' } = credentials
  const made = { applicationId: application.id, clientId, clientSecret }
  writePrivately(file, `${JSON.stringify(made, null, 2)}\n`)
  return made
}

/**
 * What the file holds, or undefined where it is lost or damaged.
 * @param {string} file
 * @returns {DemoCredentials | undefined}
 */
export function readDemoCredentials(file) {
  try {
    const { applicationId, clientId, clientSecret } = JSON.parse(readPrivately(file) ?? '{}')
    return applicationId && clientId && clientSecret ? { applicationId, clientId, clientSecret } : undefined
  } catch {
    return undefined
  }
}

/**
 * Whether this database knows the application, with these credentials by the first characters that it shows of them.
 * @param {import('./platform.js').Platform} auth
 * @param {DemoCredentials} credentials
 */
async function areLive(auth, { applicationId, clientId, clientSecret }) {
  const application = await auth.applications.get(applicationId)
  return (
    application?.keys.some(({ prefix }) => clientId.startsWith(prefix)) &&
    application.secrets.some(({ prefix }) => clientSecret.startsWith(prefix))
  )
}
