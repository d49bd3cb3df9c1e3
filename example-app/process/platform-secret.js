// @ts-check
import { randomBytes } from 'node:crypto'
import { readPrivately, writePrivately } from './private-file.js'

/**
 * Returns the secret that encrypts signing keys and pepper in the database. In production it comes from your secret
 * manager; for trials one is generated at the first start.
 * @param {string} file
 */
export function platformSecret(file) {
  const given = process.env.PLATFORM_AUTH_SECRET || readPrivately(file)
  if (given) return given
  const secret = randomBytes(32).toString('base64url')
  writePrivately(file, secret)
  return secret
}
