// @ts-check
import { randomBytes } from 'node:crypto'

/** Ids sort by time, and nobody can guess them. @param {Date} now */
export function newOrderId(now) {
  return `ord_${now.getTime().toString(36)}${randomBytes(12).toString('hex')}`
}
