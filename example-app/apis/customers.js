// @ts-check
import { authOf } from 'express-platform-auth'
import * as z from 'zod'

/** What the platform keeps on each customer, in the `metadata` of its application. */
export const customerTerms = z.object({
  /** Off every price of the catalogue. */
  discountPercent: z.int().min(0).max(50),
})

/** The number of the customer that the demo application belongs to. */
export const DEMO_CUSTOMER = 'C-1001'

/**
 * Returns the customer number of the caller, which the application has as its `externalId`. An application that registered
 * itself has none until the shop gives it one; it counts as a customer of its own.
 * @param {import('express').Request} req
 */
export function readCustomer(req) {
  const { id, externalId } = authOf(req).application
  return externalId ?? id
}

/**
 * Returns the discount of the caller, in percent.
 * @param {import('../platform.js').Platform} auth
 * @param {import('express').Request} req
 */
export function readDiscount(auth, req) {
  return auth.of(req).application.metadata?.discountPercent ?? 0
}
