import { html, type Html } from '../../../shared/web/html.js'
import { renderChip, renderProperty } from '../../../shared/web/parts.js'
import { isObject } from '../../../shared/lib/own-members.js'
import type { JsonObject } from '../../../shared/openapi/document.js'
import { renderDescription } from './markdown.js'
import { readReference } from '../../../shared/openapi/references.js'
import { readSchema, takeParts, readList, readText, resolve, describeType, readName } from './read-schema.js'
import { findTarget, listChoices, type ChoiceGroup } from './schema-choices.js'
import { listConditions, listMembers, formatCount, listRules } from './schema-rules.js'
import { renderType } from './named-schemas.js'
import { textWith, words, wordsWith } from '../words.js'

/** One schema shows at most so many properties, choices and items: documents can describe millions, level below level. */
const MAX_PARTS = 1500
const MAX_REPEATED = 5
const MAX_DEPTH = 12

/** A JSON Schema as nested lists: the properties, and what is known about the value itself. `lead` stands before that, in its line. What is
 * received says what may be missing, the others what must be there. */
export function renderSchema(document: JsonObject, given: unknown, lead?: Html, isReceived = false): Html {
  let count = 0
  const sizes = new Map<JsonObject, number>()
  if (typeof given === 'boolean')
    return html`<p class="about">${lead} ${given ? words().anyValue : words().noValue}</p>`
  const whole = readSchema(document, given)
  return html`<p class="about">${lead} <span>${renderType(document, given)}</span>${renderRules(document, whole)}</p>
    ${renderDescription(whole['description'], 5)} ${renderParts(given, [])}`

  function renderParts(part: unknown, above: readonly JsonObject[]): Html | false {
    const resolved = resolve(document, part)
    if (above.includes(resolved)) return html`<p class="note">${words().asAbove}</p>`
    if (above.length > MAX_DEPTH) return html`<p class="note">${words().moreLevels}</p>`
    const named = findNamed(document, part)
    if (named && (sizes.get(named) ?? 0) > MAX_REPEATED)
      return html`<p class="note">${textWith('asTypeAbove', { type: describeType(document, part) })}</p>`
    const before = count
    const schema = readSchema(document, part)
    const inside = [...above, resolved]
    const parts = html`${renderMembers(schema, inside)}
    ${listChoices(document, part).map((group) => renderChoices(group, inside))} ${renderItems(schema, inside)}
    ${renderList(' choices', listConditions(schema), (each) => renderPart(each.label, each.part, inside))}`
    if (named) sizes.set(named, count - before)
    return parts
  }

  function renderList<Part>(kind: string, parts: readonly Part[], render: (part: Part) => Html): Html | false {
    if (parts.length === 0) return false
    const shown = parts.slice(0, Math.max(0, MAX_PARTS - count))
    count += shown.length
    const more = parts.length - shown.length
    return html`<ul class="properties${kind}">
      ${shown.map(render)} ${more > 0 && html`<li class="note">${textWith('more', { count: more })}</li>`}
    </ul>`
  }

  function renderMembers(schema: JsonObject, above: readonly JsonObject[]): Html | false {
    const required = readList(schema['required'])
    return renderList('', listMembers(schema), ({ label, part }) => {
      const isRequired = required.includes(label)
      // Many documents say it of no member of what they answer.
      const mark = isReceived ? required.length > 0 && !isRequired && 'optional' : isRequired && 'required'
      const { deprecated, description } = readSchema(document, part)
      return renderProperty(
        { name: label, isOld: deprecated === true, about: renderAbout(document, part, mark) },
        html`${renderDescription(description, 5)} ${renderInside(part, above)}`,
      )
    })
  }

  function renderInside(part: unknown, above: readonly JsonObject[]): Html | false {
    if (!hasParts(document, part)) return false
    const schema = readSchema(document, part)
    const { length } = [schema, readSchema(document, schema['items'])].flatMap(listMembers)
    return html`<details>
      <summary>${length === 0 ? words().details : formatCount(length, words().members)}</summary>
      ${renderParts(part, above)}
    </details>`
  }

  function renderChoices({ title, by, choices }: ChoiceGroup, above: readonly JsonObject[]): Html {
    const list = renderList(
      ' choices',
      choices.map((choice, at) => ({ ...choice, at })),
      ({ part, values, at }) => {
        const name = readText(resolve(document, part)['title']) ?? readName(part) ?? `${at + 1}`
        const named = values.filter((value) => value !== name)
        return renderPart(
          name,
          part,
          above,
          named.map((value) => html` <code>${value}</code>`),
        )
      },
    )
    return html`<p class="note">
        ${title}${by !== undefined && wordsWith('asSays', { property: html`<code>${by}</code>` })}:
      </p>
      ${list}`
  }

  function renderPart(name: string, part: unknown, above: readonly JsonObject[], values: readonly Html[] = []): Html {
    const schema = readSchema(document, part)
    const type = describeType(document, part)
    return html`<li>
      <span class="choice">${name}</span>${values}
      <span class="about"
        >${type !== name && html`<span>${renderType(document, part)}</span>`}${renderRules(document, schema)}</span
      >
      ${renderDescription(schema['description'], 5)} ${renderInside(part, above)}
    </li>`
  }

  function renderItems({ items, prefixItems }: JsonObject, above: readonly JsonObject[]): Html | false {
    if (readList(prefixItems).length > 0 || !hasParts(document, items)) return false
    const schema = readSchema(document, items)
    return html`<p class="note">
        ${wordsWith('each', { type: renderType(document, items) })}${listMembers(schema).length > 0 && renderRules(document, schema)}:
      </p>
      ${renderDescription(schema['description'], 5)} ${renderParts(items, above)}`
  }
}

function findNamed(document: JsonObject, part: unknown): JsonObject | undefined {
  if (readReference(part) !== undefined) return findTarget(document, part)
  const { own, parts } = takeParts(document, isObject(part) ? part : {})
  return parts.length === 1 && !('properties' in own) ? findNamed(document, parts[0]) : undefined
}

export function hasParts(document: JsonObject, part: unknown, depth = 0): boolean {
  if (!isObject(part)) return false
  const schema = readSchema(document, part)
  if (depth > 0 && 'description' in schema) return true
  return (
    listMembers(schema).length > 0 ||
    listConditions(schema).length > 0 ||
    listChoices(document, part).length > 0 ||
    (depth <= MAX_DEPTH && hasParts(document, schema['items'], depth + 1))
  )
}

export function renderAbout(document: JsonObject, part: unknown, mark: 'required' | 'optional' | false): Html {
  const rules = renderRules(document, readSchema(document, part))
  return html`<span>${renderType(document, part)}</span
    >${mark && html` <span${mark === 'required' && html` class="pill required"`}>${words()[mark]}</span>`}${rules}`
}

function renderRules(document: JsonObject, schema: JsonObject): Html[] {
  return listRules(document, schema).map(({ text, values = [], names = [] }) => {
    const shown = [...names, ...values].slice(0, MAX_VALUES).map((value) => html` ${renderChip(formatValue(value))}`)
    return html` <span>${text}${shown}${names.length + values.length > MAX_VALUES && ' …'}</span>`
  })
}

const MAX_VALUES = 60

/** A value in one line, shortened. A text that is empty, or has spaces at its ends, is in quotes, because it would be invisible. */
export function formatValue(value: unknown): string {
  const text =
    typeof value === 'string' && value !== '' && value === value.trim() ? value : (JSON.stringify(value) ?? '')
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}
