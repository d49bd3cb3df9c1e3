import { STATUS_CODES } from 'node:http'
import { findBodyLanguage } from '../../../shared/lib/code-tokens.js'
import { html, type Html } from '../../../shared/web/html.js'
import { renderChip, renderProperty, renderCode } from '../../../shared/web/parts.js'
import { asObject, type JsonObject } from '../../../shared/openapi/document.js'
import { listBodyTexts } from './body-contents.js'
import { renderDescription, renderMarkdown } from './markdown.js'
import type { ReferenceOperation } from './operations.js'
import { readText, resolveEntries } from './resolve.js'
import { formatValue, renderAbout, renderSchemaDetails } from './schema.js'
import { words } from '../words.js'

/** The answers of an operation: status, description, headers, content, links. */
export function renderResponses(
  document: JsonObject,
  responses: unknown,
  operations: readonly ReferenceOperation[],
): Html | false {
  const entries = resolveEntries(document, responses).filter(([status]) => !status.startsWith('x-'))
  // What a call is made for is open, and the others are lines.
  const open = entries.find(([status]) => status.startsWith('2')) ?? (entries.length === 1 ? entries[0] : undefined)
  return (
    entries.length > 0 &&
    html`<section class="responses">
      <h4>${words().responses}</h4>
      ${entries.map((entry) => renderResponse(document, entry, operations, entry === open))}
    </section>`
  )
}

function renderResponse(
  document: JsonObject,
  [status, response]: readonly [string, JsonObject],
  operations: readonly ReferenceOperation[],
  isOpen: boolean,
): Html {
  const name =
    status === 'default' ? words().anyStatus : Object.hasOwn(STATUS_CODES, status) ? STATUS_CODES[status]! : ''
  const text = readText(response['description'])
  const summary = readText(response['summary'])
  const markdown = text === undefined ? undefined : renderMarkdown(text, { headingLevel: 5 })
  const [, plain] = /^<p>((?:[^<]|<\/?(?:code|em|strong)>)*)<\/p>\s*$/.exec(markdown?.markup ?? '') ?? []
  const line =
    summary ?? (markdown && { markup: plain ?? markdown.markup.replace(/<\/p>[^]*/, '').replaceAll(/<[^>]*>/g, '') })
  const isRepeated = text !== undefined && text.trim().replace(/\.$/, '').toLowerCase() === name.toLowerCase()
  const tone = status.startsWith('2') ? ' good' : status.startsWith('5') ? ' bad' : ''
  const title = html`<code class="status${tone}">${status}</code> ${name}${
      line !== undefined && !isRepeated && html` <span class="line">${line}</span>`
    }`
  const contents = resolveEntries(document, response['content'])
  const parts = [
    markdown !== undefined &&
      (plain === undefined || summary !== undefined) &&
      !isRepeated &&
      html`<div class="markdown">${markdown}</div>`,
    renderHeaders(document, response['headers']),
    ...contents.map(([type, content], at) => renderContent(document, type, content, isOpen && at === 0)),
    renderLinks(document, response['links'], operations),
  ].filter((part) => part !== false)
  if (parts.length === 0) return html`<p class="response">${title}</p>`
  return html`<details class="response" ${isOpen && html` open`}>
    <summary>${title}</summary>
    ${parts}
  </details>`
}

export function renderContent(document: JsonObject, mediaType: string, content: JsonObject, isOpen: boolean): Html {
  const examples = listBodyTexts(document, mediaType, content, 'writeOnly').map(
    ({ label, text }, at) =>
      html`<details${isOpen && at === 0 && html` open`}>
        <summary>${label}</summary>
        <pre tabindex="0">${renderCode(text, findBodyLanguage(mediaType))}</pre>
      </details>`,
  )
  return html`<div class="content-type">
    <div>
      <p>${renderChip(mediaType)}</p>
      ${renderSchemaDetails(document, content['schema'] ?? content['itemSchema'], isOpen)}
    </div>
    ${examples.length > 0 && html`<div>${examples}</div>`}
  </div>`
}

function renderHeaders(document: JsonObject, given: unknown): Html | false {
  const headers = resolveEntries(document, given)
  return (
    headers.length > 0 &&
    html`<p class="note">${words().headers}</p>
      <ul class="properties">
        ${headers.map(([name, header]) => {
          const content = resolveEntries(document, header['content'])[0]?.[1]
          const about = renderAbout(document, header['schema'] ?? content?.['schema'], false)
          return renderProperty({ name, about }, renderDescription(header['description'], 5))
        })}
      </ul>`
  )
}

/** Links to operations that can follow. */
function renderLinks(document: JsonObject, given: unknown, operations: readonly ReferenceOperation[]): Html | false {
  const links = resolveEntries(document, given)
  return (
    links.length > 0 &&
    html`<p class="note">${words().links}</p>
      <ul class="properties">
        ${links.map(([name, link]) => {
          const parameters = Object.entries(asObject(link['parameters']))
          const about = html`${renderTarget(link, operations)}
          ${parameters.map(([parameter, value]) => html`<span>${parameter} = ${renderChip(formatValue(value))}</span> `)}`
          return renderProperty({ name, about }, renderDescription(link['description'], 5))
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
