import { escapeHidden } from '../../../shared/lib/visible-text.js'
import { asObject, type JsonObject } from '../../../shared/openapi/document.js'
import { listParameters, type ReferenceOperation } from './operations.js'
import { readList, readText, resolve, resolveEntries, readName } from './read-schema.js'
import type { NamedSchema } from './named-schemas.js'

const MAX_DESCRIPTION = 600
const MAX_NAMES = 200
const MAX_LEVELS = 6

/** Words that are searched besides method, path and summary, which are in the page. A schema has a title: it is not in the page. */
type SearchRow = [key: string, words: string] | [key: string, words: string, title: string]

export function createSearchIndex(
  document: JsonObject,
  operations: readonly ReferenceOperation[],
  schemas: readonly NamedSchema[] = [],
): SearchRow[] {
  const describe = (words: Iterable<string | undefined>): string =>
    escapeHidden([...words].filter((word) => word !== undefined).join(' ')).replaceAll(/\s+/g, ' ')
  return [
    ...operations.map((each): SearchRow => {
      const { operation } = each
      const body = resolve(document, operation['requestBody'])
      const responses = resolveEntries(document, operation['responses'])
      const contents = [body, ...responses.map(([, response]) => response)].flatMap(({ content }) =>
        resolveEntries(document, content).map(([, members]) => members['schema'] ?? members['itemSchema']),
      )
      const words = [
        readText(operation['operationId']),
        ...readList(operation['tags']).map(readText),
        ...listParameters(document, each).map(({ name }) => name),
        ...responses.map(([status]) => status),
        ...listNames(document, contents),
        readText(operation['description'])?.slice(0, MAX_DESCRIPTION),
      ]
      return [each.key, describe(words)]
    }),
    ...schemas.map(({ key, name, schema }): SearchRow => {
      const text = readText(asObject(schema)['description'])?.slice(0, MAX_DESCRIPTION)
      return [`schemas/${key}`, describe([...listNames(document, [schema]), text]), escapeHidden(name)]
    }),
  ]
}

function listNames(document: JsonObject, given: readonly unknown[]): ReadonlySet<string> {
  const names = new Set<string>()
  const seen = new Set<JsonObject>()
  let level = given
  for (let depth = 0; depth < MAX_LEVELS && level.length > 0; depth++)
    level = level.slice(0, MAX_NAMES).flatMap((part) => {
      const schema = resolve(document, part)
      if (seen.has(schema) || names.size > MAX_NAMES) return []
      seen.add(schema)
      const properties = asObject(schema['properties'])
      for (const name of [readName(part), ...Object.keys(properties)]) if (name !== undefined) names.add(name)
      const lists = ['allOf', 'oneOf', 'anyOf'].flatMap((member) => readList(schema[member]))
      return [...lists, schema['items'], schema['additionalProperties'], ...Object.values(properties)]
    })
  return names
}
