import { html, type Html } from '../../../shared/web/html.js'
import { type JsonObject, asObject } from '../../../shared/openapi/document.js'
import {
  readSchema,
  takeParts,
  readList,
  readText,
  resolve,
  describeType,
  readName,
  readSchemaName,
} from './read-schema.js'
import { createUniqueNames } from '../../../shared/lib/unique-names.js'
import { slug } from './operations.js'

export function renderType(document: JsonObject, part: unknown): Html {
  const text = describeType(document, part)
  const keys = new Map<string, string>()
  addNames(part, 0)
  if (keys.size === 0) return html`${text}`
  const names = [...keys.keys()].toSorted((a, b) => b.length - a.length).map((name) => name.replaceAll(/\W/g, '\\$&'))
  const pieces = text.split(new RegExp(`(?<![\\w.-])(${names.join('|')})(?![\\w.-])`))
  return html`${pieces.map((piece, at) => (at % 2 === 0 ? piece : html`<a href="../schemas/${keys.get(piece)}">${piece}</a>`))}`

  function addNames(given: unknown, depth: number): void {
    const key = readNamedSchemas(document).get(readSchemaName(given) ?? '')?.key
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

export interface NamedSchema {
  readonly key: string
  readonly name: string
  readonly schema: unknown
}

const known = new WeakMap<JsonObject, ReadonlyMap<string, NamedSchema>>()

export function listNamedSchemas(document: JsonObject): NamedSchema[] {
  return [...readNamedSchemas(document).values()]
}

function readNamedSchemas(document: JsonObject): ReadonlyMap<string, NamedSchema> {
  const before = known.get(document)
  if (before) return before
  const claimKey = createUniqueNames()
  const { schemas } = asObject(document['components'])
  const named = new Map(
    Object.entries(asObject(schemas)).map(([name, schema]) => [
      name,
      { key: claimKey(slug(name) || 'schema'), name, schema },
    ]),
  )
  known.set(document, named)
  return named
}
