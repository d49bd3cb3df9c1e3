// @ts-check
import { ApplicationError } from 'express-platform-auth'
import { DEMO_CUSTOMER } from '../apis/customers.js'
import { readPrivately, writePrivately } from '../process/private-file.js'

/** Whoever signs in with this address manages the demo application. The mailbox has the e-mail. */
export const DEMO_CONTACT = 'demo@example.com'

/** @typedef {{ applicationId: string, clientId: string, clientSecret: string }} DemoCredentials */

/**
 * Returns the credentials of the demo application. If their file is lost or belongs to another database, it creates a new
 * application, because the platform stores only hashes and cannot show credentials again.
 * @param {import('../platform.js').Platform} auth
 * @param {string} file
 * @returns {Promise<DemoCredentials>}
 */
export async function demoCredentials(auth, file) {
  const stored = readDemoCredentials(file)
  if (stored && (await areValid(auth, stored))) return stored
  const { application, credentials } = await createForCustomer(auth)
  const { clientId, clientSecret = '' } = credentials
  const created = { applicationId: application.id, clientId, clientSecret }
  writePrivately(file, `${JSON.stringify(created, null, 2)}\n`)
  return created
}

/**
 * Another process that starts at the same time may take the customer number in between, which is a conflict.
 * @param {import('../platform.js').Platform} auth
 * @returns {ReturnType<import('../platform.js').Platform['applications']['create']>}
 */
async function createForCustomer(auth) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await auth.applications.create({
        name: 'Demo application',
        contact: DEMO_CONTACT,
        apis: ['orders', 'catalog'],
        externalId: DEMO_CUSTOMER,
        metadata: await releaseCustomer(auth),
        by: 'example-app',
      })
    } catch (error) {
      if (!(error instanceof ApplicationError && error.code === 'conflict') || attempt === 10) throw error
    }
  }
}

/**
 * Takes the customer number from the application that had it: only one can have it. Returns the customer's terms.
 * @param {import('../platform.js').Platform} auth
 */
async function releaseCustomer(auth) {
  const { items } = await auth.applications.list({ externalId: DEMO_CUSTOMER })
  for (const { id } of items) await auth.applications.update(id, { externalId: null, by: 'example-app' })
  return items[0]?.metadata ?? { discountPercent: 10 }
}

/**
 * Returns the customer that the demo application belongs to; undefined for an application of an older version, which has none.
 * @param {import('../platform.js').Platform} auth
 * @param {DemoCredentials} credentials
 */
export async function findCustomer(auth, { applicationId }) {
  const { externalId, metadata } = (await auth.applications.get(applicationId)) ?? {}
  return externalId === undefined ? undefined : { number: externalId, discountPercent: metadata?.discountPercent ?? 0 }
}

/**
 * Returns undefined if the file is lost or damaged.
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
 * Whether the application in this database has these credentials, as far as their prefixes show.
 * @param {import('../platform.js').Platform} auth
 * @param {DemoCredentials} credentials
 */
async function areValid(auth, { applicationId, clientId, clientSecret }) {
  const application = await auth.applications.get(applicationId)
  return (
    application?.keys.some(({ prefix }) => clientId.startsWith(prefix)) &&
    application.secrets.some(({ prefix }) => clientSecret.startsWith(prefix))
  )
}
