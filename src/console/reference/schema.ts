import { html, type Html } from '../../web/html.js'
import { isObject } from '../../lib/is-object.js'
import { asObject, type JsonObject } from '../../openapi/document.js'
import { renderMarkdown } from './markdown.js'
import { readList, readText, resolve } from './resolve.js'
import { describeType, mergeAllOf, readName, readValues } from './schema-type.js'

/** One schema shows at most so many properties, choices and items: documents can describe millions, level below level. */
const MAX_PARTS = 600
const MAX_DEPTH = 12

/** A JSON Schema as nested lists: the properties, and what is known about the value itself. */
export function renderSchema(document: JsonObject, given: unknown): Html {
  let count = 0
  return renderValue(given, [])

  /** `above`: the schemas around this one, so that one that contains itself ends. */
  function renderValue(part: unknown, above: readonly JsonObject[]): Html {
    if (typeof part === 'boolean') return html`<p class="type">${part ? 'any value' : 'no value'}</p>`
    const schema = resolve(document, part)
    return html`<p class="type">${describeType(document, part)}${renderRules(schema)}</p>
      ${renderDescription(schema)} ${renderParts(part, above)}`
  }

  /** The parts of a schema. */
  function renderParts(part: unknown, above: readonly JsonObject[]): Html | false {
    const resolved = resolve(document, part)
    if (above.includes(resolved)) return html`<p class="note">As above.</p>`
    if (above.length > MAX_DEPTH) return html`<p class="note">The OpenAPI document has more levels.</p>`
    const schema = mergeAllOf(document, resolved)
    const inside = [...above, resolved]
    return html`${renderProperties(schema, inside)} ${renderChoices(schema, inside)} ${renderItems(schema, inside)}`
  }

  /** Takes the parts that may still be shown, and counts the others. */
  function takeShown<Part>(parts: readonly Part[]): { readonly shown: readonly Part[]; readonly more: string | false } {
    const shown = parts.slice(0, Math.max(0, MAX_PARTS - count))
    count += shown.length
    return {
      shown,
      more: shown.length < parts.length && `${parts.length - shown.length} more in the OpenAPI document.`,
    }
  }

  function renderProperties(schema: JsonObject, above: readonly JsonObject[]): Html | false {
    const { properties: named, patternProperties, additionalProperties: additional } = schema
    const entries = [
      ...Object.entries(asObject(named)),
      ...Object.entries(asObject(patternProperties)).map(([pattern, value]) => [`/${pattern}/`, value] as const),
      ...(isObject(additional) && Object.keys(additional).length > 0
        ? [['(any other name)', additional] as const]
        : []),
    ]
    if (entries.length === 0) return false
    const required = readList(schema['required'])
    const { shown, more } = takeShown(entries)
    return html`<ul class="schema">
      ${shown.map(([name, value]) => renderProperty(name, value, required.includes(name), above))}
      ${more && html`<li class="note">${more}</li>`}
    </ul>`
  }

  function renderProperty(name: string, part: unknown, required: boolean, above: readonly JsonObject[]): Html {
    const schema = resolve(document, part)
    return html`<li>
      <code${schema['deprecated'] === true && html` class="old"`}>${name}</code>
      <span class="type">${describeType(document, part)}${required && ', '}${required && html`<strong>required</strong>`}${renderRules(schema)}</span>
      ${renderDescription(schema)} ${renderInside(part, above)}
    </li>`
  }

  /** A closed `<details>`; nothing for a value without parts. */
  function renderInside(part: unknown, above: readonly JsonObject[]): Html | false {
    if (!hasParts(document, part)) return false
    return html`<details>
      <summary>${describeType(document, part)}</summary>
      ${renderParts(part, above)}
    </details>`
  }

  function renderChoices(schema: JsonObject, above: readonly JsonObject[]): Html[] {
    return (['oneOf', 'anyOf'] as const).flatMap((member) => {
      const choices = readList(schema[member]).filter((each) => !isObject(each) || each['type'] !== 'null')
      if (choices.length === 0) return []
      const { propertyName } = asObject(schema['discriminator'])
      const by = readText(propertyName)
      const { shown, more } = takeShown(choices)
      return html`<p class="note">
          ${member === 'oneOf' ? 'One of' : 'One or more of'}${by !== undefined && html`, as <code>${by}</code> says`}:
        </p>
        <ul class="schema choices">
          ${shown.map((choice, index) => renderChoice(choice, index, findDiscriminatorValue(schema, choice), above))}
          ${more && html`<li class="note">${more}</li>`}
        </ul>`
    })
  }

  function renderChoice(choice: unknown, index: number, value: string | undefined, above: readonly JsonObject[]): Html {
    const schema = resolve(document, choice)
    const name = readText(schema['title']) ?? readName(choice) ?? `${index + 1}`
    const type = describeType(document, choice)
    return html`<li>
      <span class="choice">${name}</span>${value !== undefined && value !== name && html` <code>${value}</code>`}
      <span class="type">${type !== name && type}${renderRules(schema)}</span>
      ${renderDescription(schema)} ${renderInside(choice, above)}
    </li>`
  }

  function renderItems({ items, prefixItems }: JsonObject, above: readonly JsonObject[]): Html[] {
    const listed = [...readList(prefixItems), ...(isObject(items) ? [items] : [])]
    const { shown } = takeShown(listed.filter((item) => hasParts(document, item)))
    return shown.map(
      (item) =>
        html`<p class="note">Each ${describeType(document, item)}:</p>
          ${renderParts(item, above)}`,
    )
  }
}

function hasParts(document: JsonObject, part: unknown, depth = 0): boolean {
  const schema = resolve(document, part)
  const { properties, patternProperties, additionalProperties, items } = schema
  const objects = [properties, patternProperties, additionalProperties].some(
    (each) => isObject(each) && Object.keys(each).length > 0,
  )
  const lists = ['oneOf', 'anyOf', 'allOf', 'prefixItems'].some((member) => readList(schema[member]).length > 0)
  return objects || lists || (isObject(items) && (depth > MAX_DEPTH || hasParts(document, items, depth + 1)))
}

/** The rules about a value, each after a comma. */
function renderRules(schema: JsonObject): Html[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, minLength, maxLength } = schema
  const rules: (Html | string)[] = []
  const addText = (text: string, value: unknown): void => {
    if (typeof value === 'number') rules.push(`${text} ${value}`)
  }
  if (schema['deprecated'] === true) rules.push('deprecated')
  if (schema['readOnly'] === true) rules.push('only in answers')
  if (schema['writeOnly'] === true) rules.push('only in requests')
  addText(exclusiveMinimum === true ? 'more than' : 'at least', minimum)
  addText(exclusiveMaximum === true ? 'less than' : 'at most', maximum)
  addText('more than', exclusiveMinimum)
  addText('less than', exclusiveMaximum)
  addText('a multiple of', multipleOf)
  addText('characters: at least', minLength)
  addText('characters: at most', maxLength)
  addText('items: at least', schema['minItems'])
  addText('items: at most', schema['maxItems'])
  addText('members: at least', schema['minProperties'])
  addText('members: at most', schema['maxProperties'])
  if (schema['uniqueItems'] === true) rules.push('no item twice')
  const pattern = readText(schema['pattern'])
  if (pattern !== undefined) rules.push(html`pattern <code>${pattern}</code>`)
  if ('default' in schema) rules.push(html`default <code>${formatValue(schema['default'])}</code>`)
  const values = readValues(schema)
  const shown = values.slice(0, MAX_VALUES).map((value) => html`<code>${formatValue(value)}</code> `)
  if (values.length > 0)
    rules.push(html`${values.length === 1 ? 'always' : 'one of'} ${shown}${values.length > MAX_VALUES && '…'}`)
  if (schema['additionalProperties'] === false) rules.push('no other members')
  return rules.map((rule) => html`, ${rule}`)
}

const MAX_VALUES = 60

function renderDescription(schema: JsonObject): Html | false {
  const text = readText(schema['description'])
  return text !== undefined && html`<div class="markdown">${renderMarkdown(text, { headingLevel: 5 })}</div>`
}

/** The value of the discriminator that means this choice. */
function findDiscriminatorValue(schema: JsonObject, choice: unknown): string | undefined {
  const discriminator = asObject(schema['discriminator'])
  if (readText(discriminator['propertyName']) === undefined) return undefined
  const name = readName(choice)
  const { $ref: reference } = asObject(choice)
  const mapped = Object.entries(asObject(discriminator['mapping'])).find(
    ([, target]) => target === reference || target === name,
  )
  return mapped?.[0] ?? name
}

/** A value in one line, shortened. */
export function formatValue(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}
