import { isNativeError } from 'node:util/types'
import { findMember, isAnyObject, listAnswers, memberOf, readStatus } from './service-answer.js'

/**
 * The objects in the result of a call that tell of a failure, the innermost first; undefined if none does. SDKs resolve
 * with an error (Mandrill) or an `error` (Resend, Supabase), `fetch` with a response that is not `ok`, nodemailer with a list
 * of `rejected` recipients, Postmark with an `ErrorCode`, others with a status of 400 or more, with a word or with false.
 * Nothing, a text and every object without such a member are a success.
 */
export function findFailure(result: unknown): readonly unknown[] | undefined {
  return result === false ? [result] : findIn(result, 0)
}

const MAX_DEPTH = 4

function findIn(value: unknown, depth: number): readonly unknown[] | undefined {
  if (!isAnyObject(value) || depth > MAX_DEPTH) return undefined
  if (isNativeError(value) || value instanceof Error) return [value]
  if (Array.isArray(value)) return findFirst(value, depth)
  const errors = listErrors(value)
  if (errors) return [...errors, value]
  const inner = findFirst(
    CONTENTS.map((name) => memberOf(value, name)),
    depth,
  )
  if (inner) return [...inner, value]
  return tellsOfFailure(value) ? [value] : undefined
}

function findFirst(values: readonly unknown[], depth: number): readonly unknown[] | undefined {
  for (const value of values) {
    const found = findIn(value, depth + 1)
    if (found) return found
  }
  return undefined
}

/** The members in which SDKs keep a service's answer, or several answers. */
const CONTENTS = ['body', 'data', 'value', 'result', 'results', 'Messages', 'messages'] as const

function listErrors(value: object): readonly unknown[] | undefined {
  const error = findMember([value], ['error', 'err'])
  if (error !== undefined && error !== false && error !== '') return [error]
  const errors = LISTS.map((name) => memberOf(value, name)).find(isFilled)
  return Array.isArray(errors) || errors === undefined ? (errors as readonly unknown[] | undefined) : [errors]
}

const LISTS = ['rejectedErrors', 'rejected', 'errors', 'Errors', 'failures', 'failed'] as const

function isFilled(value: unknown): boolean {
  return isAnyObject(value) ? Object.keys(value).length > 0 : typeof value === 'string' && value !== ''
}

function tellsOfFailure(value: object): boolean {
  const word = findMember([value], ['status', 'Status'])
  return (
    SUCCESSES.some((name) => memberOf(value, name) === false) ||
    readStatus(listAnswers(value)) !== undefined ||
    (typeof word === 'string' && FAILED.test(word)) ||
    COUNTS.some((name) => Number(memberOf(value, name)) > 0)
  )
}

const SUCCESSES = ['ok', 'success', 'Success', 'sent', 'accepted'] as const
const FAILED = /^(?:rejected|invalid|failed|failure|error|undeliverable)$/i
const COUNTS = ['failed', 'rejected', 'total_rejected_recipients'] as const
