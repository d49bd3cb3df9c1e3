import { randomBytes } from 'node:crypto'

/** A new id of an application. It is public, because it stands in access tokens, and is never used again. */
export function createApplicationId(): string {
  return `app_${randomBytes(16).toString('hex')}`
}

/** A new id of an application with an end. It says so: usage is counted by id, and outlives the record. */
export function createTemporaryId(): string {
  return TEMPORARY + randomBytes(8).toString('hex')
}

export function isTemporaryId(id: string): boolean {
  return id.startsWith(TEMPORARY)
}

/** No other id begins so: one of 2^64 would by chance. */
const TEMPORARY = `app_${'0'.repeat(16)}`

/** A symbol that this file alone has: no option, no JSON and no polluted prototype gives an application an end. */
const END = Symbol('end')

/** What creates an application, with the time at which it ends (milliseconds since 1970). Only `prove` uses this. */
export function withEnd<Created extends object>(created: Created, endsAt: number): Created {
  return { ...created, [END]: endsAt }
}

export function readEnd(created: object): number | undefined {
  return (created as { readonly [END]?: number })[END]
}

/** Whether a text can be an application's id, so that other texts cost no look-up. No key has this form. */
export function isApplicationId(text: string): boolean {
  return APPLICATION_ID.test(text)
}

const APPLICATION_ID = /^app_[0-9a-f]{32}$/
