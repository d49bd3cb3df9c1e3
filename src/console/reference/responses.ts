import { STATUS_CODES } from 'node:http'
import { html, type Html } from '../../web/html.js'
import { asObject, type JsonObject } from '../../openapi/document.js'
import { formatBody } from './body.js'
import { listExamples } from './example.js'
import { renderMarkdown } from './markdown.js'
import type { ReferenceOperation } from './operation-keys.js'
import { readText, resolveEntries } from './resolve.js'
import { formatValue, renderSchema } from './schema.js'

/** The answers of an operation: status, description, headers, content, links. */
export function renderResponses(
  document: JsonObject,
  responses: unknown,
  operations: readonly ReferenceOperation[],
): Html | false {
  const entries = resolveEntries(document, responses).filter(([status]) => !status.startsWith('x-'))
  return (
    entries.length > 0 &&
    html`<section class="responses">
      <h4>Responses</h4>
      ${entries.map(([status, response]) => renderResponse(document, status, response, operations))}
    </section>`
  )
}

function renderResponse(
  document: JsonObject,
  status: string,
  response: JsonObject,
  operations: readonly ReferenceOperation[],
): Html {
  const text = readText(response['description'])
  return html`<section class="response">
    <h5>
      <code>${status}</code>
      ${status === 'default' ? 'Any other status' : Object.hasOwn(STATUS_CODES, status) && STATUS_CODES[status]}
    </h5>
    ${text !== undefined && html`<div class="markdown">${renderMarkdown(text, { headingLevel: 6 })}</div>`}
    ${renderHeaders(document, response['headers'])}
    ${resolveEntries(document, response['content']).map(([type, content]) => renderContent(document, type, content))}
    ${renderLinks(document, response['links'], operations)}
  </section>`
}

/** The media type of a body, with its schema and its examples. */
export function renderContent(document: JsonObject, mediaType: string, content: JsonObject): Html {
  const schema = content['schema'] ?? content['itemSchema']
  return html`<div class="content-type">
    <p class="type"><code>${mediaType}</code></p>
    ${
      schema !== undefined &&
      html`<details>
        <summary>Schema</summary>
        ${renderSchema(document, schema)}
      </details>`
    }
    ${listExamples(document, content).map(
      ({ label, value }) =>
        html`<details>
          <summary>${label}</summary>
          <pre tabindex="0"><code>${formatBody(value, mediaType)}</code></pre>
        </details>`,
    )}
  </div>`
}

function renderHeaders(document: JsonObject, given: unknown): Html | false {
  const headers = resolveEntries(document, given)
  return (
    headers.length > 0 &&
    html`<p class="note">Headers:</p>
      <ul class="schema">
        ${headers.map(([name, header]) => {
          const text = readText(header['description'])
          const content = resolveEntries(document, header['content'])[0]?.[1]
          return html`<li>
            <code>${name}</code> ${renderSchema(document, header['schema'] ?? content?.['schema'])}
            ${text !== undefined && html`<div class="markdown">${renderMarkdown(text, { headingLevel: 6 })}</div>`}
          </li>`
        })}
      </ul>`
  )
}

/** Links to operations that can follow. */
function renderLinks(document: JsonObject, given: unknown, operations: readonly ReferenceOperation[]): Html | false {
  const links = resolveEntries(document, given)
  return (
    links.length > 0 &&
    html`<p class="note">Links:</p>
      <ul class="schema">
        ${links.map(([name, link]) => {
          const text = readText(link['description'])
          return html`<li>
            <code>${name}</code> ${renderTarget(link, operations)}
            ${Object.entries(asObject(link['parameters'])).map(([parameter, value]) => html`<span class="type">${parameter} = <code>${formatValue(value)}</code></span> `)}
            ${text !== undefined && html`<div class="markdown">${renderMarkdown(text, { headingLevel: 6 })}</div>`}
          </li>`
        })}
      </ul>`
  )
}

function renderTarget(link: JsonObject, operations: readonly ReferenceOperation[]): Html | string {
  const id = readText(link['operationId'])
  const reference = readText(link['operationRef'])
  const target = operations.find(({ method, path, operation }) => {
    if (id !== undefined) return operation['operationId'] === id
    return reference === `#/paths/${path.replaceAll('~', '~0').replaceAll('/', '~1')}/${method.toLowerCase()}`
  })
  if (!target) return id ?? reference ?? ''
  return html`<a href="${target.key}" data-key="${target.key}">${target.method} ${target.path}</a>`
}
