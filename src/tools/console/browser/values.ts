import { findJsonProblem } from './json.js'
import type { Value } from '../../../shared/samples/serialize.js'
import { callWords } from './words.js'

/** The value of a field, or the reason why it cannot be sent. */
export type Reading = { readonly value: Value } | { readonly problem: string }

/** Reads the text of a field as its type (`data-type`) says. Numbers are sent as they were typed. */
export function readValue(text: string, type: string): Reading {
  const trimmed = text.trim()
  switch (type) {
    case 'integer':
      return /^[+-]?\d+$/.test(trimmed) ? { value: trimmed } : { problem: callWords.wholeNumber }
    case 'number':
      return Number.isFinite(Number(trimmed)) ? { value: trimmed } : { problem: callWords.number }
    case 'boolean':
      return trimmed === 'true' || trimmed === 'false' ? { value: trimmed } : { problem: callWords.boolean }
    case 'array':
      return trimmed.startsWith('[') ? readJson(trimmed, Array.isArray, callWords.array) : { value: readList(trimmed) }
    case 'object':
      return readJson(
        trimmed,
        (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
        callWords.object,
      )
    case 'json':
      return readJson(trimmed, () => true, '')
    default:
      return { value: text }
  }
}

function readJson(text: string, isAllowed: (value: unknown) => boolean, problem: string): Reading {
  const syntaxProblem = findJsonProblem(text)
  if (syntaxProblem !== undefined) return { problem: [syntaxProblem, problem].filter(Boolean).join(' ') }
  const value = JSON.parse(text) as Value
  return isAllowed(value) ? { value } : { problem }
}

/** Splits lines, or the parts between commas if there is one line. */
function readList(text: string): string[] {
  return text
    .split(text.includes('\n') ? '\n' : ',')
    .map((each) => each.trim())
    .filter(Boolean)
}
