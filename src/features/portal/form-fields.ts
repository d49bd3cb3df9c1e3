import { timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { OAuthError } from '../../shared/contracts/denial.js'
import { parseMediaType, readPairs } from '../../core/http/form.js'
import { notePresentedSecrets } from '../../core/http/origin.js'

/** The fields of a form: each with its values, in order. */
export type FormFields = ReadonlyMap<string, readonly string[]>

/** Reads a form of up to 16 KiB, whether or not a body parser of the host has read it. Rejects with `OAuthError`. */
export async function readFields(req: IncomingMessage): Promise<FormFields> {
  if (parseMediaType(req).mediaType !== 'application/x-www-form-urlencoded') {
    throw new OAuthError('invalid_request', 'The Content-Type must be application/x-www-form-urlencoded')
  }
  const fields = new Map<string, string[]>()
  for (const [name, value] of await readPairs(req)) {
    // A body parser of the host makes an array of repeated names, or an object if there are many of them.
    const values: readonly unknown[] = typeof value === 'object' && value !== null ? Object.values(value) : [value]
    if (!values.every((each) => typeof each === 'string')) {
      throw new OAuthError('invalid_request', 'The form has a field that is not text')
    }
    fields.set(name, [...(fields.get(name) ?? []), ...values])
  }
  notePresentedSecrets(req, listSecrets(fields))
  return fields
}

/** The tokens of links, which may be pasted whole, codes, and the token of the form. */
function listSecrets(fields: FormFields): string[] {
  const presented = ['token', 'code', 'csrf'].flatMap((name) => fields.get(name) ?? [])
  return presented.map((text) => text.replace(/^.*#/s, '').trim()).filter((text) => text !== '')
}

/** The only value of a field; empty if it was left out. Throws if there are several. */
export function readField(fields: FormFields, name: string): string {
  const [value = '', ...others] = fields.get(name) ?? []
  if (others.length > 0) throw new OAuthError('invalid_request', `The field ${name} must be given once`)
  return value.trim()
}

/** Whether the form is from a page that this browser was sent. */
export function hasCsrf(fields: FormFields, csrf: string): boolean {
  const presented = Buffer.from(readField(fields, 'csrf'))
  const expected = Buffer.from(csrf)
  return presented.length === expected.length && timingSafeEqual(presented, expected)
}
