import { renderTextarea } from '../../../shared/web/form-field.js'
import { html, type Html } from '../../../shared/web/html.js'
import type { JsonObject, Operation } from '../../../shared/openapi/document.js'
import { isLeftOut, listBodyContents, type BodyContent, listBodyTexts } from './body-contents.js'
import type { FieldRenderer } from './fields.js'
import { listFormFields } from './form-fields.js'
import { renderDescription } from './markdown.js'
import { resolve } from './read-schema.js'
import { renderMediaType } from './responses.js'
import { textWith, words } from '../words.js'

export function renderBody(document: JsonObject, operation: Operation, fields: FieldRenderer): Html | false {
  const body = resolve(document, operation.operation['requestBody'])
  const contents = listBodyContents(document, operation)
  if (contents.length === 0) return false
  const isEmpty = isLeftOut(document, operation)
  const id = fields.createId('media-type')
  return html`<fieldset class="body" data-required="${String(body['required'] === true)}">
    <legend class="unseen">${words().requestBody}</legend>
    ${
      /^(?:GET|HEAD)$/.test(operation.method) &&
      html`<p class="note">${textWith('noBody', { method: operation.method })}</p>`
    }
    ${
      contents.length > 1 &&
      html`<div class="field">
        <label for="${id}">${words().mediaType}</label>
        <select id="${id}" data-role="media-type">
          ${contents.map(({ mediaType }) => html`<option>${mediaType}</option>`)}
        </select>
      </div>`
    }
    ${contents.map((content, index) => html`<div data-media="${content.mediaType}" data-kind="${content.kind}" ${index > 0 && html` hidden`}>${renderContent(document, content, { fields, isEmpty })}</div>`)}
  </fieldset>`
}

export function renderBodyFacts(document: JsonObject, operation: Operation): Html | false {
  const body = resolve(document, operation.operation['requestBody'])
  const contents = listBodyContents(document, operation)
  if (contents.length === 0) return false
  const schemas = new Map<unknown, string[]>()
  for (const { mediaType, members } of contents) {
    const schema = members['schema'] ?? members['itemSchema']
    const known = [...schemas].find(([each]) => JSON.stringify(each) === JSON.stringify(schema))
    if (known) known[1].push(mediaType)
    else schemas.set(schema, [mediaType])
  }
  return html`<section>
    <h4>${body['required'] === true ? words().requestBody : words().requestBodyOptional}</h4>
    ${renderDescription(body['description'], 5)}
    ${[...schemas].map(([schema, mediaTypes], at) => renderMediaType(document, mediaTypes, schema, at > 0 && []))}
  </section>`
}

interface ContentOptions {
  readonly fields: FieldRenderer
  readonly isEmpty: boolean
}

function renderContent(document: JsonObject, content: BodyContent, options: ContentOptions): Html {
  const { fields, isEmpty } = options
  if (content.kind === 'fields') {
    const properties = listFormFields(document, content)
    return html`${properties.map((each) => fields.renderProperty(isEmpty ? { ...each, required: false, value: undefined } : each))}`
  }
  if (content.kind === 'file') {
    const id = fields.createId('body-file')
    return html`<div class="field">
      <label for="${id}">${words().file}</label>
      <input type="file" id="${id}" data-role="body" />
    </div>`
  }
  return renderEditor(document, content, options)
}

function renderEditor(document: JsonObject, { mediaType, members }: BodyContent, { fields, isEmpty }: ContentOptions) {
  const id = fields.createId('body')
  const exampleId = fields.createId('example')
  const examples = listBodyTexts(document, mediaType, members, 'readOnly')
  const texts = isEmpty ? [{ label: words().none, text: '' }, ...examples] : examples
  const text = texts[0]?.text ?? ''
  return html`${
      texts.length > 1 &&
      html`<div class="field">
        <label for="${exampleId}">${words().example}</label>
        <select id="${exampleId}" data-role="example">
          ${texts.map((each) => html`<option value="${each.text}">${each.label}</option>`)}
        </select>
      </div>`
    }
    <div class="field">
      <label for="${id}">${words().body}</label>
      ${renderTextarea(html`id="${id}" data-role="body" rows="${Math.min(24, Math.max(4, text.split('\n').length))}"${examples.some((each) => each.text.includes('\r\n')) && html` data-line-break="crlf"`} spellcheck="false"`, text)}
      ${examples.length === 0 && html`<div class="hint">${words().noExample}</div>`}
    </div>`
}
