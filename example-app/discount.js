// @ts-check
/**
 * Changes the discount of a customer, as a program beside the server would: `node example-app/discount.js C-1001 20`. The
 * server follows within a second.
 */
import { ApplicationError, StoreIncompatibleError } from 'express-platform-auth'
import { openAdmin } from 'express-platform-auth/admin'
import { customerTerms } from './apis/customers.js'
import { openDatabase } from './database/database.js'
import { readSettings, SettingsError } from './settings.js'

const [customer = '', percent = ''] = process.argv.slice(2)

try {
  console.log(await changeDiscount(readSettings().databaseUrl))
} catch (error) {
  const isExplained = [ApplicationError, SettingsError, StoreIncompatibleError].some((type) => error instanceof type)
  console.error(isExplained && error instanceof Error ? error.message : error)
  process.exitCode = 1
}

/** @param {string} databaseUrl */
async function changeDiscount(databaseUrl) {
  const database = await openDatabase(databaseUrl)
  try {
    const { applications } = await openAdmin(database.store, { metadata: customerTerms })
    const { items } = await applications.list({ externalId: customer })
    for (const { id } of items) {
      await applications.update(id, { metadata: { discountPercent: Number(percent) }, by: 'example-app' })
    }
    return items.length > 0
      ? `Customer ${customer} has a discount of ${percent} % now.`
      : `No application has the customer number ${customer}.`
  } finally {
    await database.store.close()
    await database.close()
  }
}
