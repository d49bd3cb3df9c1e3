import { escapeHidden } from '../../lib/visible-text.js'
import type { JsonObject } from '../../openapi/document.js'
import type { ReferenceOperation } from './operation-keys.js'
import { listParameters } from './parameters.js'
import { readList, readText } from './resolve.js'

/** The search covers longer descriptions up to here. */
const MAX_DESCRIPTION = 600

/** The words that are searched besides method, path and summary, which are in the page: pairs of key and words. */
export function createSearchIndex(document: JsonObject, operations: readonly ReferenceOperation[]): [string, string][] {
  return operations.map((each) => {
    const { operation } = each
    const words = [
      readText(operation['operationId']),
      ...readList(operation['tags']).map(readText),
      ...listParameters(document, each).map(({ name }) => name),
      readText(operation['description'])?.slice(0, MAX_DESCRIPTION),
    ]
    return [each.key, escapeHidden(words.filter((word) => word !== undefined).join(' ')).replaceAll(/\s+/g, ' ')]
  })
}
