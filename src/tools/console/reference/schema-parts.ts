import { isObject } from '../../../shared/lib/is-object.js'
import { asObject, type JsonObject } from '../../../shared/openapi/document.js'
import { readList } from './resolve.js'
import { textWith, words } from '../words.js'

/** A schema within another one, and what a value has to do with it. */
export interface SchemaPart {
  readonly label: string
  readonly part: unknown
}

/** The members of an object: by name, by pattern, and all others. */
export function listMembers(schema: JsonObject): SchemaPart[] {
  const { properties, patternProperties } = schema
  const others = [schema['additionalProperties'], schema['unevaluatedProperties']].find(
    (each) => isObject(each) && Object.keys(each).length > 0,
  )
  return [
    ...Object.entries(asObject(properties)).map(([label, part]) => ({ label, part })),
    ...Object.entries(asObject(patternProperties)).map(([pattern, part]) => ({ label: `/${pattern}/`, part })),
    ...(others === undefined ? [] : [{ label: words().anyOtherName, part: others }]),
  ]
}

/** The conditions of a schema that are schemas themselves, besides its alternatives and the items of a plain list. */
export function listConditions(schema: JsonObject): SchemaPart[] {
  const { prefixItems, items, unevaluatedItems } = schema
  const first = readList(prefixItems).map((part, at) => ({ label: textWith('item', { number: at + 1 }), part }))
  const further = first.length > 0 && isObject(items) ? items : unevaluatedItems
  return [
    ...first,
    ...(isObject(further) ? [{ label: words().furtherItems, part: further }] : []),
    ...[schema, ...readList(schema['allOf']).map(asObject)].flatMap((each) => [
      ...CONDITIONS.filter(([name]) => name in each).map(([name, word]) => ({
        label: words()[word],
        part: each[name],
      })),
      ...('contains' in each ? [{ label: describeContains(each), part: each['contains'] }] : []),
    ]),
    ...Object.entries(asObject(schema['dependentSchemas'])).map(([name, part]) => ({
      label: textWith('ifItHas', { name }),
      part,
    })),
  ]
}

const CONDITIONS = [
  ['not', 'not'],
  ['if', 'ifCondition'],
  ['then', 'thenCondition'],
  ['else', 'otherwise'],
  ['propertyNames', 'memberNames'],
  ['contentSchema', 'content'],
] as const

function describeContains({ minContains, maxContains }: JsonObject): string {
  const least = typeof minContains === 'number' ? minContains : 1
  return typeof maxContains === 'number'
    ? textWith('contains', { least, most: maxContains })
    : textWith(least === 1 ? 'containsOne' : 'containsSome', { least })
}
