import { isObject } from '../../../shared/lib/own-members.js'
import { asObject, followReference, type JsonObject } from '../../../shared/openapi/document.js'
import { escapeStep, readReference } from '../../../shared/openapi/references.js'
import { readSchema, takeParts, readList, readText, readName } from './read-schema.js'
import { words } from '../words.js'

export interface ChoiceGroup {
  readonly title: string
  readonly by: string | undefined
  readonly choices: readonly Choice[]
}

export interface Choice {
  readonly part: unknown
  readonly values: readonly string[]
}

/** The `oneOf` and `anyOf` of a schema, or what its `discriminator` maps to and schemas that refer to it. */
export function listChoices(document: JsonObject, part: unknown): ChoiceGroup[] {
  const schema = readSchema(document, part)
  const by = readText(asObject(schema['discriminator'])['propertyName'])
  const describe = (choice: unknown): Choice => ({
    part: choice,
    values: by === undefined ? [] : findDiscriminatorValues(document, schema, choice),
  })
  const groups = [schema, ...readList(schema['allOf']).map(asObject)].flatMap((each) =>
    (['oneOf', 'anyOf'] as const).flatMap((member): ChoiceGroup[] => {
      const choices = readList(each[member])
      const title = member === 'oneOf' ? words().oneOf : words().oneOrMoreOf
      return choices.length > 0 ? [{ title, by, choices: choices.map(describe) }] : []
    }),
  )
  if (groups.length > 0 || by === undefined) return groups
  const heirs = listHeirs(document, part, schema)
  return heirs.length > 0 ? [{ title: words().oneOf, by, choices: heirs.map(describe) }] : []
}

export function findDiscriminatorValues(document: JsonObject, schema: JsonObject, choice: unknown): string[] {
  const target = findTarget(document, choice)
  const mapped = listMapped(document, schema).filter((each) => findTarget(document, each.part) === target)
  const name = readName(choice)
  return mapped.length > 0 ? mapped.map(({ value }) => value) : name === undefined ? [] : [name]
}

function listMapped(document: JsonObject, schema: JsonObject): { readonly value: string; readonly part: JsonObject }[] {
  const { mapping, defaultMapping } = asObject(schema['discriminator'])
  const named = [...Object.entries(asObject(mapping)), [words().anyOtherValue, defaultMapping] as const]
  return named.flatMap(([value, target]) => {
    const part = typeof target === 'string' ? findMapped(document, target) : undefined
    return part === undefined ? [] : [{ value, part }]
  })
}

function findMapped(document: JsonObject, target: string): JsonObject | undefined {
  const name = /^[\w.-]+$/.test(target) ? target : undefined
  const $ref = name === undefined ? target : `#/components/schemas/${name}`
  return $ref.startsWith('#/') && followReference(document, $ref) !== undefined ? { $ref } : undefined
}

/** The schemas that a value of a schema with a discriminator can be of. One that inherits the discriminator has its own heirs only. */
function listHeirs(document: JsonObject, part: unknown, schema: JsonObject): JsonObject[] {
  const base = findBase(document, part)
  if (base === undefined) return []
  const mapped = 'discriminator' in base ? listMapped(document, schema).map((each) => each.part) : []
  const { heirsOf: inheriting } = readInheritance(document)
  const heirs = new Map(mapped.map((heir) => [findTarget(document, heir), heir]))
  const isMapped = heirs.size > 0
  const seen = new Set<unknown>()
  const pending = [base]
  for (let parent = pending.pop(); parent !== undefined; parent = pending.pop()) {
    if (seen.has(parent)) continue
    seen.add(parent)
    for (const heir of inheriting.get(parent) ?? []) {
      const target = findTarget(document, heir)
      pending.push(target)
      // One between those that are mapped is abstract.
      if (!heirs.has(target) && !(isMapped && inheriting.has(target))) heirs.set(target, heir)
    }
  }
  heirs.delete(base)
  return [...heirs.values()]
}

/** The schema that has the discriminator or inherits it, and not only contains such a schema. */
function findBase(document: JsonObject, part: unknown, depth = 0): JsonObject | undefined {
  const target = findTarget(document, part)
  if ('discriminator' in target || readInheritance(document).inheriting.has(target) || depth > MAX_DEPTH) return target
  const { parts } = takeParts(document, target)
  const inner = parts.find((each) => 'discriminator' in readSchema(document, each))
  return inner === undefined ? undefined : findBase(document, inner, depth + 1)
}

const MAX_DEPTH = 5

/** A schema as it is written in the document, without what is said beside references to it, except further properties. */
export function findTarget(document: JsonObject, part: unknown, depth = 0): JsonObject {
  const reference = readReference(part)
  if (reference === undefined || depth > MAX_DEPTH || isObject(asObject(part)['properties'])) return asObject(part)
  return findTarget(document, followReference(document, reference), depth + 1)
}

interface Inheritance {
  readonly heirsOf: ReadonlyMap<JsonObject, readonly JsonObject[]>
  readonly inheriting: ReadonlySet<JsonObject>
}

const inheritances = new WeakMap<JsonObject, Inheritance>()

function readInheritance(document: JsonObject): Inheritance {
  const known = inheritances.get(document)
  if (known) return known
  const heirsOf = new Map<JsonObject, JsonObject[]>()
  const inheriting = new Set<JsonObject>()
  for (const [name, schema] of Object.entries(asObject(asObject(document['components'])['schemas'])))
    for (const parent of readList(asObject(schema)['allOf']).filter((each) => readReference(each) !== undefined)) {
      const target = findTarget(document, parent)
      heirsOf.set(target, [...(heirsOf.get(target) ?? []), { $ref: `#/components/schemas/${escapeStep(name)}` }])
      inheriting.add(asObject(schema))
    }
  inheritances.set(document, { heirsOf, inheriting })
  return { heirsOf, inheriting }
}
