// @ts-check
import { RequestError } from './request-error.js'

/** @typedef {{ limit: number, after: string }} Page at most `limit` items after the id `after` */

/**
 * Reads `?limit=20&after=<next of the previous page>`.
 * @param {Record<string, unknown>} query
 * @returns {Page}
 */
export function readPage(query) {
  const limit = readText(query, 'limit', { max: 3, otherwise: '20' })
  const count = /^\d+$/.test(limit) ? Number(limit) : limit
  return {
    limit: readWholeNumber({ limit: count }, 'limit', { min: 1, max: 100 }),
    after: readText(query, 'after', { max: 100, otherwise: '' }),
  }
}

/**
 * @param {unknown} body read by `express.json()`
 * @returns {Record<string, unknown>}
 */
export function readObject(body) {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return { ...body }
  throw invalid('The body must be a JSON object, sent with Content-Type: application/json.')
}

/**
 * @param {Record<string, unknown>} fields @param {string} name
 * @param {{ max: number, otherwise?: string }} rule `otherwise` is the default; without it the text is required
 */
export function readText(fields, name, { max, otherwise }) {
  const { [name]: value = otherwise } = fields
  if (
    typeof value === 'string' &&
    value.length <= max &&
    !value.includes('\0') &&
    (value !== '' || otherwise !== undefined)
  )
    return value
  throw invalid(
    `${name} must be a text of ${otherwise === undefined ? '1' : '0'} to ${max} characters, none of them NUL.`,
  )
}

/**
 * @param {Record<string, unknown>} fields @param {string} name
 * @param {{ min: number, max: number }} rule
 */
export function readWholeNumber(fields, name, { min, max }) {
  const { [name]: value } = fields
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value
  throw invalid(`${name} must be a whole number from ${min} to ${max}.`)
}

/** @param {string} description */
function invalid(description) {
  return new RequestError(400, 'invalid_request', description)
}
