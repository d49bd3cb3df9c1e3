import { renderSelectOf, renderTextarea } from '../../../shared/web/form-field.js'
import { html, type Html } from '../../../shared/web/html.js'
import { isObject } from '../../../shared/lib/own-members.js'
import { createUniqueNames } from '../../../shared/lib/unique-names.js'
import type { JsonObject } from '../../../shared/openapi/document.js'
import { isJson } from '../../../shared/samples/serialize.js'
import { listGivenExamples, readInitial } from './examples.js'
import { readSchema, readList, readText, resolve, describeType, readTypes, readValues } from './read-schema.js'
import { readFileKind, type FormField } from './form-fields.js'
import { slug, type Parameter } from './operations.js'
import { formatValue } from './schema.js'
import { words, wordsWith } from '../words.js'

interface Field {
  readonly name: string
  readonly place: string
  readonly required: boolean
  readonly deprecated: boolean
  readonly schema: unknown
  readonly encoding: FormField['encoding']
  readonly value: unknown
  readonly example: unknown
}

export type FieldRenderer = ReturnType<typeof createFieldRenderer>

export function createFieldRenderer(document: JsonObject, key: string) {
  const claimId = createUniqueNames()
  const createId = (name: string): string => claimId(`${key}-${slug(name) || 'field'}`)

  return {
    createId,
    renderParameter(parameter: Parameter): Html {
      const { members, content, schema, required } = parameter
      const stated = [members, content].flatMap((each) => listGivenExamples(document, each))[0]?.value
      const field = { ...parameter, encoding: parameter, ...readInitial(document, schema, { required, stated }) }
      return renderField(document, field, createId)
    },
    renderProperty(property: FormField): Html {
      const { deprecated } = resolve(document, property.schema)
      return renderField(document, { ...property, deprecated: deprecated === true, place: 'body' }, createId)
    },
  }
}

function renderField(document: JsonObject, field: Field, createId: FieldRenderer['createId']): Html {
  const { name, place, required, deprecated } = field
  const id = createId(`${place}-${name}`)
  const facts = [place === 'body' ? '' : place, describeType(document, field.schema), required ? words().required : '']
  const hint = renderHint(document, field)
  return html`<div class="field">
    <label for="${id}"><code${deprecated && html` class="old"`}>${name}</code> <span>${facts.filter(Boolean).join(', ')}${deprecated && `, ${words().deprecated}`}</span></label>
    ${renderControl(document, id, field, hint !== false)}
    ${hint !== false && html`<p id="${id}-hint" class="hint">${hint}</p>`}
  </div>`
}

function renderControl(document: JsonObject, id: string, field: Field, hasHint: boolean): Html {
  const { name, place, required } = field
  const { style, explode, allowReserved, mediaType, headers } = field.encoding
  const schema = readSchema(document, field.schema)
  const type = readFieldType(document, field)
  const attributes = html`id="${id}" data-in="${place}"
  data-name="${name}"${style !== undefined && html` data-style="${style}"`}${explode !== undefined && html` data-explode="${String(explode)}"`}
  data-type="${type}"${mediaType !== undefined && html` data-media="${mediaType}"`}${headers && html` data-headers="${JSON.stringify(headers)}"`}${allowReserved && html` data-allow-reserved="true"`}${hasHint && html` aria-describedby="${id}-hint"`}${required && html` required`}`
  if (type === 'file' || type === 'files')
    return html`<input
      type="file"
      ${type === 'files' && html` multiple`}${mediaType !== undefined && html` accept="${mediaType}"`}
      ${attributes}
    />`
  const values = type === 'json' ? [] : readChoices(type === 'array' ? resolve(document, schema['items']) : schema)
  if (values.length > 0) return renderSelect(attributes, values, field, type === 'array')
  const text = formatField(field.value, type)
  if (type === 'json' || type === 'object') return renderTextarea(html`${attributes} rows="4" spellcheck="false"`, text)
  // A field of one line drops line breaks.
  if (type === 'array' || /[\r\n]/.test(text))
    return renderTextarea(html`${attributes} rows="2" spellcheck="false"`, text)
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

function renderSelect(attributes: Html, values: readonly unknown[], { required, value }: Field, multiple: boolean) {
  const chosen = multiple ? readList(value) : [value]
  const needsChoice = !multiple && (!required || !values.includes(value))
  const size = multiple && html` multiple size="${Math.min(5, values.length)}"`
  return renderSelectOf(
    html`${attributes}${size}`,
    html`${needsChoice && html`<option value="">${required ? words().choose : words().notSent}</option>`}
    ${values.map((each) => html`<option${chosen.includes(each) && html` selected`} value="${formatField(each, 'string')}">${formatField(each, 'string')}</option>`)}`,
  )
}

/** How the text of a control is read. A list of values with parts is JSON: lines would be read as items. */
function readFieldType(document: JsonObject, { schema, place, encoding, value, example }: Field): string {
  const file = place === 'body' ? readFileKind(document, schema) : undefined
  if (file !== undefined) return file
  if (isJson(encoding.mediaType)) return 'json'
  const stated = value ?? example
  const merged = readSchema(document, schema)
  const types = readTypes(merged)
  if (Array.isArray(stated) || (types.includes('array') && !isObject(stated))) {
    const items = readTypes(readSchema(document, merged['items']))
    const haveParts = readList(stated).some((item) => typeof item === 'object')
    return haveParts || items.some((type) => type === 'object' || type === 'array') ? 'json' : 'array'
  }
  const isText = typeof stated === 'string' && types.includes('string')
  return isObject(stated) || (types.includes('object') && !isText) ? 'object' : 'string'
}

function readChoices(schema: JsonObject): readonly unknown[] {
  const values = readValues(schema).filter((value) => value !== null)
  if (values.length > 0) return values
  return readTypes(schema).join() === 'boolean' ? [true, false] : []
}

function formatField(value: unknown, type: string): string {
  if (value === undefined || value === null) return ''
  if (type === 'array' && Array.isArray(value)) {
    const lines = value.map((each) => formatField(each, 'string'))
    const isClear = lines.every((line) => line !== '' && line === line.trim() && !/[,\r\n]|^\[/.test(line))
    return isClear ? lines.join('\n') : JSON.stringify(value)
  }
  return typeof value === 'string' && type !== 'json' ? value : JSON.stringify(value, null, 2)
}

function renderHint(document: JsonObject, field: Field): Html | false {
  const schema = readSchema(document, field.schema)
  const facts: Html[] = []
  const isList = readFieldType(document, field) === 'array'
  if (isList && readChoices(resolve(document, schema['items'])).length === 0) facts.push(html`${words().onePerLine}`)
  if (field.place === 'cookie') facts.push(html`${words().noCookies}`)
  if ('default' in schema)
    facts.push(wordsWith('defaultIs', { value: html`<code>${formatValue(schema['default'])}</code>` }))
  if (field.example !== undefined && field.example !== field.value)
    facts.push(wordsWith('exampleIs', { value: html`<code>${formatValue(field.example)}</code>` }))
  const pattern = readText(schema['pattern'])
  if (pattern !== undefined) facts.push(wordsWith('patternIs', { value: html`<code>${pattern}</code>` }))
  return facts.length > 0 && html`${facts.map((fact) => html`${fact} `)}`
}
