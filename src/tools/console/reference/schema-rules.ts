import { isObject } from '../../../shared/lib/own-members.js'
import { asObject, type JsonObject } from '../../../shared/openapi/document.js'
import { readList, readNumber, readSchema, readText, readValues } from './read-schema.js'
import { textWith, words } from '../words.js'

export interface SchemaPart {
  readonly label: string
  readonly part: unknown
}

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
  const least = readNumber(minContains, 1)
  return typeof maxContains === 'number'
    ? textWith('contains', { least, most: maxContains })
    : textWith(least === 1 ? 'containsOne' : 'containsSome', { least })
}

/** What is known about a value besides its type: words, and after them values, or texts such as names. */
export interface Rule {
  readonly text: string
  readonly values?: readonly unknown[]
  readonly names?: readonly string[]
}

/** The rules of a schema that `readSchema` has read, and of the items of a list, as pages and Markdown have them. */
export function listRules(document: JsonObject, schema: JsonObject, depth = 0): Rule[] {
  const { format, contentMediaType, items, prefixItems } = schema
  const values = readValues(schema)
  const pattern = readText(schema['pattern'])
  const encoding = readText(schema['contentEncoding'])
  const mediaType = format === undefined ? undefined : readText(contentMediaType)
  const examples = [schema['example'], ...readList(schema['examples'])].filter((each) =>
    ['string', 'number', 'boolean'].includes(typeof each),
  )
  const rules: (Rule | false)[] = [
    schema['deprecated'] === true && { text: words().deprecated },
    schema['readOnly'] === true && { text: words().onlyInAnswers },
    schema['writeOnly'] === true && { text: words().onlyInRequests },
    ...describeRange(schema),
    ...describeCount(words().characters, schema['minLength'], schema['maxLength']),
    ...describeCount(words().items, schema['minItems'], schema['maxItems']),
    ...describeCount(words().members, schema['minProperties'], schema['maxProperties']),
    schema['uniqueItems'] === true && { text: words().noItemTwice },
    pattern !== undefined && { text: words().pattern, names: [pattern] },
    mediaType !== undefined && { text: mediaType },
    encoding !== undefined && { text: textWith('encodedAs', { encoding }) },
    'default' in schema && { text: words().default, values: [schema['default']] },
    values.length > 0 && { text: values.length === 1 ? words().always : words().oneOfValues, values },
    ...describeMembers(schema),
    ...(depth < 3 && prefixItems === undefined ? listItemRules(document, items, depth + 1) : []),
    depth === 0 && examples.length > 0 && { text: words().forExample, values: examples },
  ]
  return rules.filter((rule) => rule !== false)
}

/** Items with members have a list of their own, with their rules. */
function listItemRules(document: JsonObject, items: unknown, depth: number): Rule[] {
  const schema = readSchema(document, items)
  if (listMembers(schema).length > 0) return []
  return listRules(document, schema, depth).map((rule) => ({
    ...rule,
    text: textWith('eachRule', { rule: rule.text }),
  }))
}

/** OpenAPI 3.0 has an exclusive bound as a word beside the other. */
function describeRange({ minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf }: JsonObject): Rule[] {
  const isBounded = typeof exclusiveMinimum !== 'boolean' && typeof exclusiveMaximum !== 'boolean'
  if (isBounded && typeof minimum === 'number' && typeof maximum === 'number')
    return [
      { text: textWith('range', { least: minimum, most: maximum }) },
      ...describeRange({ exclusiveMinimum, exclusiveMaximum, multipleOf }),
    ]
  const bounds = [
    [exclusiveMinimum === true ? 'moreThan' : 'atLeast', minimum],
    [exclusiveMaximum === true ? 'lessThan' : 'atMost', maximum],
    ['moreThan', exclusiveMinimum],
    ['lessThan', exclusiveMaximum],
    ['multipleOf', multipleOf],
  ] as const
  return bounds
    .filter(([, bound]) => typeof bound === 'number')
    .map(([word, bound]) => ({ text: textWith(word, { bound: bound as number }) }))
}

function describeCount(unit: string, least: unknown, most: unknown): Rule[] {
  if (typeof least === 'number' && least === most) return [{ text: formatCount(least, unit) }]
  const named = nameUnit(unit, most ?? least)
  return describeRange({ minimum: least, maximum: most }).map(({ text }) => ({ text: `${text} ${named}` }))
}

export function formatCount(count: number, unit: string): string {
  return `${count} ${nameUnit(unit, count)}`
}

/** The word for one, or for any other number: `item|items`. */
export function nameUnit(unit: string, count: unknown): string {
  const [one = '', several = ''] = unit.split('|')
  return count === 1 ? one : several
}

function describeMembers(schema: JsonObject): Rule[] {
  const isNone = (...members: string[]): boolean => members.some((member) => schema[member] === false)
  const properties = asObject(schema['properties'])
  const required = readList(schema['required']).filter(
    (name) => typeof name === 'string' && !Object.hasOwn(properties, name),
  )
  const dependent = Object.entries(asObject(schema['dependentRequired'])).filter(
    ([, names]) => readList(names).length > 0,
  )
  return [
    ...(required.length > 0 ? [{ text: words().requiredMembers, names: required.map(String) }] : []),
    ...dependent.map(([name, names]) => ({
      text: textWith('requiredIf', { name }),
      names: readList(names).map(String),
    })),
    ...(isNone('additionalProperties', 'unevaluatedProperties') ? [{ text: words().noOtherMembers }] : []),
    ...(isNone('additionalItems', 'unevaluatedItems') || (isNone('items') && 'prefixItems' in schema)
      ? [{ text: words().noOtherItems }]
      : []),
  ]
}
