import type { ApplicationRecord } from '../../../store.js'

/** Something that the lost database has and the restored one lacks. */
export interface Lack {
  /** Whether somebody may call, sign in or get credentials again who may not: to be redone before anything else. */
  readonly first: boolean
  readonly what: string
  readonly applicationId?: string
  readonly details?: string
  /** The command that makes it again, without the program's name and its store; left out if there is none. */
  readonly redo?: string
}

/** What the comparison of one application needs to know of both databases. */
export interface Times {
  readonly now: number
  /** The newest change that both have, or -Infinity: what is older was in the backup. */
  readonly backup: number
  /** The newest change of the lost database, or Infinity: what is later was made after the restore. */
  readonly lost: number
  /** Whether a signing key from before the restore verifies. */
  readonly verifiesLostTokens: boolean
}

/** The same text for equal values, whatever the order of their members; what is undefined counts as missing. */
export function toComparable(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  )
}

export function toLack(
  { id }: ApplicationRecord,
  what: string,
  redo: string | undefined,
  first: boolean,
  details?: string,
): Lack {
  return { first, what, applicationId: id, ...(details !== undefined && { details }), ...(redo && { redo }) }
}
