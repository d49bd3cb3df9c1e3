import { html, type Html } from '../../web/html.js'
import { isObject } from '../../lib/is-object.js'
import { createUniqueNames } from '../../lib/unique-names.js'
import type { JsonObject } from '../../openapi/document.js'
import { listGivenExamples } from './example.js'
import { renderMarkdown } from './markdown.js'
import { slug } from './operation-keys.js'
import type { Parameter } from './parameters.js'
import { readList, readText, resolve } from './resolve.js'
import { formatValue, hasParts, renderSchema } from './schema.js'
import { describeType, isBinary, mergeAllOf, readTypes, readValues } from './schema-type.js'

/** The value that a control of a call sets. */
interface Field {
  readonly name: string
  readonly place: string
  readonly required: boolean
  readonly deprecated: boolean
  readonly description: string | undefined
  readonly schema: unknown
  readonly style: string
  readonly explode: boolean
  readonly allowReserved: boolean
  readonly mediaType: string | undefined
  /** The value to begin with, and one to show. */
  readonly value: unknown
  readonly example: unknown
}

/** Renders the labelled controls of one operation. */
export interface FieldRenderer {
  renderParameter(parameter: Parameter): Html
  /** The property of a body of fields. `encoding`: the member of the media type's `encoding`. */
  renderProperty(name: string, schema: unknown, options: PropertyOptions): Html
  /** An id that nothing else in the operation has. */
  createId(name: string): string
}

interface PropertyOptions {
  readonly required: boolean
  readonly encoding: JsonObject
  readonly value: unknown
}

export function createFieldRenderer(document: JsonObject, key: string): FieldRenderer {
  const claimId = createUniqueNames()
  const createId = (name: string): string => claimId(`${key}-${slug(name) || 'field'}`)

  return {
    createId,
    renderParameter(parameter) {
      const { members, content, schema, required } = parameter
      const given = [members, content].flatMap((each) => listGivenExamples(document, each))[0]?.value
      return renderField(document, { ...parameter, ...readInitial(document, schema, required, given) }, createId)
    },
    renderProperty(name, schema, { required, encoding, value }) {
      const { deprecated, description } = resolve(document, schema)
      const field: Field = {
        name,
        place: 'body',
        required,
        deprecated: deprecated === true,
        description: readText(description),
        schema,
        style: readText(encoding['style']) ?? 'form',
        explode: encoding['explode'] !== false,
        allowReserved: encoding['allowReserved'] === true,
        mediaType: readText(encoding['contentType']),
        ...readInitial(document, schema, required, value),
      }
      return renderField(document, field, createId)
    },
  }
}

/** The document's example. It is filled in where a value is required; optional values are not sent unasked. */
function readInitial(
  document: JsonObject,
  given: unknown,
  required: boolean,
  example: unknown,
): Pick<Field, 'value' | 'example'> {
  const { default: preset, example: own, examples } = mergeAllOf(document, resolve(document, given))
  const shown = example ?? own ?? readList(examples)[0]
  return { value: required ? (shown ?? preset) : undefined, example: shown }
}

function renderField(document: JsonObject, field: Field, createId: FieldRenderer['createId']): Html {
  const { name, place, required, deprecated } = field
  const id = createId(`${place}-${name}`)
  const schema = mergeAllOf(document, resolve(document, field.schema))
  const facts = [place === 'body' ? '' : place, describeType(document, field.schema), required ? 'required' : '']
  const hint = renderHint(field, schema)
  return html`<div class="field">
    <label for="${id}"><code${deprecated && html` class="old"`}>${name}</code> <span>${facts.filter(Boolean).join(', ')}${deprecated && ', deprecated'}</span></label>
    ${renderControl(id, field, schema, hint !== false)}
    ${hint !== false && html`<div id="${id}-hint" class="hint">${hint}</div>`}
    ${renderShape(document, field.schema)}
  </div>`
}

function renderControl(id: string, field: Field, schema: JsonObject, hasHint: boolean): Html {
  const { name, place, required, style, explode, allowReserved, mediaType } = field
  const type = readFieldType(schema, mediaType)
  const attributes = html`id="${id}" data-in="${place}" data-name="${name}" data-style="${style}"
  data-explode="${String(explode)}"
  data-type="${type}"${mediaType !== undefined && html` data-media="${mediaType}"`}${allowReserved && html` data-allow-reserved="true"`}${hasHint && html` aria-describedby="${id}-hint"`}${required && html` required`}`
  if (type === 'file') return html`<input type="file" ${attributes} />`
  if (type === 'files') return html`<input type="file" multiple ${attributes} />`
  const values = readChoices(type === 'array' ? resolveItems(schema) : schema)
  if (values.length > 0) return renderSelect(attributes, values, field, type === 'array')
  const text = formatField(field.value, type)
  if (type === 'json' || type === 'object') return renderTextarea(html`${attributes} rows="4"`, text)
  if (type === 'array') return renderTextarea(html`${attributes} rows="2"`, text)
  const isNumber =
    readTypes(schema).every((each) => each === 'integer' || each === 'number') && readTypes(schema).length > 0
  return html`<input
    type="text"
    ${attributes}${isNumber && html` inputmode="decimal"`}
    value="${text}"
    autocomplete="off"
    autocapitalize="none"
    spellcheck="false"
  />`
}

/** HTML drops the first line break of a text, so there is one more. */
export function renderTextarea(attributes: Html, text: string): Html {
  return html`<textarea ${attributes} spellcheck="false">${`\n${text}`}</textarea>`
}

function renderSelect(
  attributes: Html,
  values: readonly unknown[],
  { required, value }: Field,
  multiple: boolean,
): Html {
  const chosen = multiple ? readList(value) : [value]
  const needsChoice = !multiple && (!required || !values.includes(value))
  return html`<select ${attributes}${multiple && html` multiple size="${Math.min(5, values.length)}"`}>
    ${needsChoice && html`<option value="">${required ? 'Choose' : 'Not sent'}</option>`}
    ${values.map((each) => html`<option${chosen.includes(each) && html` selected`} value="${formatField(each, 'string')}">${formatField(each, 'string')}</option>`)}
  </select>`
}

/** The type that tells how the text of a control is read. */
function readFieldType(schema: JsonObject, mediaType: string | undefined): string {
  const types = readTypes(schema)
  if (isBinary(schema)) return 'file'
  if (types.includes('array')) return isBinary(resolveItems(schema)) ? 'files' : isJson(mediaType) ? 'json' : 'array'
  if (types.includes('object')) return isJson(mediaType) ? 'json' : 'object'
  return isJson(mediaType) ? 'json' : 'string'
}

export function isJson(mediaType: string | undefined): boolean {
  return mediaType !== undefined && /^[^;]*[/+]json\b/i.test(mediaType)
}

function resolveItems({ items }: JsonObject): JsonObject {
  return isObject(items) ? items : (Object.create(null) as JsonObject)
}

function readChoices(schema: JsonObject): readonly unknown[] {
  const values = readValues(schema).filter((value) => value !== null)
  if (values.length > 0) return values
  return readTypes(schema).join() === 'boolean' ? [true, false] : []
}

/** A list has a line for each item. */
function formatField(value: unknown, type: string): string {
  if (value === undefined || value === null) return ''
  if (type === 'array' && Array.isArray(value)) return value.map((each) => formatField(each, 'string')).join('\n')
  return typeof value === 'string' && type !== 'json' ? value : JSON.stringify(value, null, 2)
}

function renderHint(field: Field, schema: JsonObject): Html | false {
  const text = field.description ?? readText(schema['description'])
  const facts: Html[] = []
  if (readFieldType(schema, field.mediaType) === 'array' && readChoices(resolveItems(schema)).length === 0)
    facts.push(html`One item per line.`)
  if (field.place === 'cookie') facts.push(html`Browsers do not let this page send cookies; the samples contain it.`)
  if ('default' in schema) facts.push(html`Default: <code>${formatValue(schema['default'])}</code>.`)
  if (field.example !== undefined) facts.push(html`Example: <code>${formatValue(field.example)}</code>.`)
  const pattern = readText(schema['pattern'])
  if (pattern !== undefined) facts.push(html`Pattern: <code>${pattern}</code>.`)
  if (text === undefined && facts.length === 0) return false
  return html`${text !== undefined && html`<div class="markdown">${renderMarkdown(text, { headingLevel: 5 })}</div>`}
  ${facts.length > 0 && html`<p>${facts.map((fact) => html`${fact} `)}</p>`}`
}

/** Shows the schema of a value that has parts. */
function renderShape(document: JsonObject, given: unknown): Html | false {
  return (
    hasParts(document, given) &&
    html`<details>
      <summary>Schema</summary>
      ${renderSchema(document, given)}
    </details>`
  )
}
