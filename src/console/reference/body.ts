import { html, type Html } from '../../web/html.js'
import { isObject } from '../../lib/is-object.js'
import { asObject, type JsonObject, type Operation } from '../../openapi/document.js'
import { createExample, listExamples, listGivenExamples, type Example } from './example.js'
import { isJson, renderTextarea, type FieldRenderer } from './fields.js'
import { renderMarkdown } from './markdown.js'
import { readList, readText, resolve, resolveEntries } from './resolve.js'
import { renderSchema } from './schema.js'
import { isBinary, mergeAllOf, readTypes } from './schema-type.js'

/** A request body in one of its media types. */
export interface BodyContent {
  readonly mediaType: string
  readonly members: JsonObject
  readonly schema: JsonObject
  /** The editor of the body: a text, fields, or the choice of a file. */
  readonly kind: 'text' | 'fields' | 'file'
}

/** The media types of an operation's request body, in the document's order. */
export function listBodyContents(document: JsonObject, { operation }: Operation): BodyContent[] {
  const body = resolve(document, operation['requestBody'])
  return resolveEntries(document, body['content']).map(([mediaType, members]) => {
    const schema = mergeAllOf(document, resolve(document, members['schema'] ?? members['itemSchema']))
    return { mediaType, members, schema, kind: readKind(mediaType, schema) }
  })
}

function readKind(mediaType: string, schema: JsonObject): BodyContent['kind'] {
  const type = mediaType.toLowerCase()
  const isForm = type.startsWith('application/x-www-form-urlencoded') || type.startsWith('multipart/')
  if (isForm) return Object.keys(asObject(schema['properties'])).length > 0 ? 'fields' : 'text'
  if (isBinary(schema) && !isJson(type)) return 'file'
  const isText = isJson(type) || /^text\/|xml|yaml|javascript|graphql|ndjson|jsonl|\*/.test(type)
  return isText || readTypes(schema).some((each) => each === 'object' || each === 'array') ? 'text' : 'file'
}

/** The controls of a request body; nothing if the operation has none. */
export function renderBody(document: JsonObject, operation: Operation, fields: FieldRenderer): Html | false {
  const body = resolve(document, operation.operation['requestBody'])
  const contents = listBodyContents(document, operation)
  if (contents.length === 0) return false
  const description = readText(body['description'])
  const id = fields.createId('media-type')
  return html`<fieldset class="body" data-required="${String(body['required'] === true)}">
    <legend>Request body${body['required'] === true ? '' : ', optional'}</legend>
    ${description !== undefined && html`<div class="markdown">${renderMarkdown(description, { headingLevel: 5 })}</div>`}
    <div class="field">
      <label for="${id}">Media type</label>
      <select id="${id}" data-role="media-type">
        ${contents.map(({ mediaType }) => html`<option>${mediaType}</option>`)}
      </select>
    </div>
    ${contents.map((content, index) => html`<div data-media="${content.mediaType}" data-kind="${content.kind}" ${index > 0 && html` hidden`}>${renderContent(document, content, fields)}</div>`)}
  </fieldset>`
}

function renderContent(document: JsonObject, content: BodyContent, fields: FieldRenderer): Html {
  const { members } = content
  const schema = members['schema'] ?? members['itemSchema']
  const details =
    schema !== undefined &&
    html`<details>
      <summary>Schema</summary>
      ${renderSchema(document, schema)}
    </details>`
  if (content.kind === 'fields') return html`${renderFields(document, content, fields)} ${details}`
  if (content.kind === 'file') {
    const id = fields.createId('body-file')
    return html`<div class="field">
        <label for="${id}">File</label>
        <input type="file" id="${id}" data-role="body" />
      </div>
      ${details}`
  }
  return html`${renderEditor(listBodyExamples(document, content), content, fields)} ${details}`
}

function renderFields(document: JsonObject, { members, schema }: BodyContent, fields: FieldRenderer): Html[] {
  const required = readList(schema['required'])
  const [given] = listGivenExamples(document, members)
  const values = isObject(given?.value) ? given.value : {}
  const encodings = asObject(members['encoding'])
  return Object.entries(asObject(schema['properties']))
    .filter(([, property]) => resolve(document, property)['readOnly'] !== true)
    .map(([name, property]) => {
      const value = Object.hasOwn(values, name) ? values[name] : undefined
      const encoding = resolve(document, encodings[name])
      return fields.renderProperty(name, property, { required: required.includes(name), encoding, value })
    })
}

function renderEditor(examples: readonly Example[], { mediaType }: BodyContent, fields: FieldRenderer): Html {
  const id = fields.createId('body')
  const exampleId = fields.createId('example')
  const texts = examples.map(({ label, value }) => ({ label, text: formatBody(value, mediaType) }))
  const text = texts[0]?.text ?? ''
  return html`${
      texts.length > 1 &&
      html`<div class="field">
        <label for="${exampleId}">Example</label>
        <select id="${exampleId}" data-role="example">
          ${texts.map((each) => html`<option value="${each.text}">${each.label}</option>`)}
        </select>
      </div>`
    }
    <div class="field">
      <label for="${id}">Body</label>
      ${renderTextarea(html`id="${id}" data-role="body" rows="${countRows(text)}"`, text)}
    </div>`
}

function countRows(text: string): number {
  return Math.min(24, Math.max(4, text.split('\n').length))
}

/** Examples of a request body, without properties that only answers have. */
export function listBodyExamples(document: JsonObject, { members }: Pick<BodyContent, 'members'>): Example[] {
  const given = listExamples(document, { ...members, schema: undefined, itemSchema: undefined })
  if (given.length > 0) return given
  const value = createExample(document, members['schema'] ?? members['itemSchema'], 'readOnly')
  return value === undefined ? [] : [{ label: 'Example', value }]
}

/** An example as it is written in a media type. Only JSON is made of values; other texts stay as they are. */
export function formatBody(value: unknown, mediaType: string): string {
  if (typeof value === 'string' && !isJson(mediaType)) return value
  return JSON.stringify(value, null, 2) ?? ''
}
