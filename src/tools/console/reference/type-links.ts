import { html, type Html } from '../../../shared/web/html.js'
import type { JsonObject } from '../../../shared/openapi/document.js'
import { readSchema, takeParts } from './read-schema.js'
import { readList, readText, resolve } from './resolve.js'
import { findSchemaKey } from './schemas.js'
import { describeType, readName } from './schema-type.js'

/** The type of a schema, in which the names of schemas lead to their pages, from a page of an operation or of a schema. */
export function renderType(document: JsonObject, part: unknown): Html {
  const text = describeType(document, part)
  const keys = new Map<string, string>()
  addNames(part, 0)
  if (keys.size === 0) return html`${text}`
  const names = [...keys.keys()].toSorted((a, b) => b.length - a.length).map((name) => name.replaceAll(/\W/g, '\\$&'))
  const pieces = text.split(new RegExp(`(?<![\\w.-])(${names.join('|')})(?![\\w.-])`))
  return html`${pieces.map((piece, at) => (at % 2 === 0 ? piece : html`<a href="../schemas/${keys.get(piece)}">${piece}</a>`))}`

  /** The names that the text of the type may have. */
  function addNames(given: unknown, depth: number): void {
    const key = findSchemaKey(document, given)
    const schema = resolve(document, given)
    if (key !== undefined)
      for (const name of [readName(given), readText(schema['title'])]) if (name !== undefined) keys.set(name, key)
    if (depth > MAX_LEVELS) return
    const { parts } = takeParts(document, schema)
    const { oneOf, anyOf, items } = readSchema(document, given)
    for (const each of [...parts, ...readList(oneOf), ...readList(anyOf), items].slice(0, MAX_NAMES))
      addNames(each, depth + 1)
  }
}

const MAX_LEVELS = 2
const MAX_NAMES = 30
