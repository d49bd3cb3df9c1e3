// @ts-check
import { randomBytes } from 'node:crypto'

/** Ids sort by time and cannot be guessed. @param {Date} now */
export function createOrderId(now) {
  return `ord_${now.getTime().toString(36)}${randomBytes(12).toString('hex')}`
}
