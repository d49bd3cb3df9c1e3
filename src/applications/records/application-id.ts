import { randomBytes } from 'node:crypto'

/** A new id of an application. It is public, because it stands in access tokens, and is never used again. */
export function createApplicationId(): string {
  return `app_${randomBytes(16).toString('hex')}`
}

/** Whether a text can be an application's id, so that other texts cost no look-up. No key has this form. */
export function isApplicationId(text: string): boolean {
  return APPLICATION_ID.test(text)
}

const APPLICATION_ID = /^app_[0-9a-f]{32}$/
