import { STATUS_CODES } from 'node:http'
import { findBodyLanguage } from '../../../shared/lib/code-tokens.js'
import { html, type Html } from '../../../shared/web/html.js'
import { renderCopyButton } from '../../../shared/web/first-steps.js'
import { renderChip, renderProperty, renderCode } from '../../../shared/web/parts.js'
import { asObject, type JsonObject } from '../../../shared/openapi/document.js'
import { listBodyTexts } from './body-contents.js'
import { renderDescription, renderMarkdown } from './markdown.js'
import type { ReferenceOperation } from './operations.js'
import { readText, resolveEntries } from './read-schema.js'
import { formatValue, renderAbout, renderSchema } from './schema.js'
import { frameWords, words } from '../words.js'

export function renderResponses(document: JsonObject, responses: unknown, operations: readonly ReferenceOperation[]) {
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
  const title = html`<code class="status${tone}">${status}</code>
    <span>${name} ${line !== undefined && !isRepeated && html`<span class="line">${line}</span>`}</span>`
  const parts = [
    markdown !== undefined &&
      (plain === undefined || summary !== undefined) &&
      !isRepeated &&
      html`<div class="markdown">${markdown}</div>`,
    renderHeaders(document, response['headers']),
    ...renderContents(document, response['content']),
    renderLinks(document, response['links'], operations),
  ].filter((part) => part !== false)
  if (parts.length === 0) return html`<p class="response">${title}</p>`
  return html`<details class="response" ${isOpen && html` open`}>
    <summary>${title}</summary>
    ${parts}
  </details>`
}

/** Media types of a body: their schema, in which that of the first ones is open. The others are closed, with their `examples`. */
export function renderMediaType(
  document: JsonObject,
  mediaTypes: readonly string[],
  schema: unknown,
  examples: readonly { readonly text: string }[] | false,
  isReceived = false,
): Html | false {
  const chips = html`${mediaTypes.map((each) => html`${renderChip(each)} `)}`
  if (schema === undefined && !examples) return html`<p class="about">${chips}</p>`
  if (!examples) return renderSchema(document, schema, chips, isReceived)
  return html`<details>
    <summary>${chips}</summary>
    ${schema !== undefined && renderSchema(document, schema, undefined, isReceived)}
    ${examples.map(({ text }) => html`<pre tabindex="0">${renderCode(text, findBodyLanguage(mediaTypes[0] ?? ''))}</pre> `)}
  </details>`
}

export function renderContents(document: JsonObject, contents: unknown): (Html | false)[] {
  return resolveEntries(document, contents).map(([type, members], at) => {
    const examples = at > 0 && listBodyTexts(document, type, members, 'writeOnly')
    return renderMediaType(document, [type], members['schema'] ?? members['itemSchema'], examples, true)
  })
}

/** The examples of bodies, one at a time: radio buttons choose it without a script. `contents`: media types by status. `name`: unique in the page. */
export function renderExamples(
  document: JsonObject,
  name: string,
  contents: readonly (readonly [label: string, content: unknown])[],
): Html | false {
  const examples = contents.flatMap(([status, content]) => {
    const [[mediaType, members] = ['', {}] as const] = resolveEntries(document, content)
    const texts = listBodyTexts(document, mediaType, members, 'writeOnly')
    return texts.map(({ label, text }) => ({
      title: texts.length > 1 ? `${status} ${label}` : status,
      code: renderCode(text, findBodyLanguage(mediaType)),
    }))
  })
  return (
    examples.length > 0 &&
    html`<div class="examples" role="radiogroup" aria-label="${words().example}">
      ${examples.map(
        ({ title, code }, at) =>
          html`<label><input type="radio" class="unseen" name="${name}" ${at === 0 && html` checked`} />${title}</label>
            <div class="copyable">
              ${renderCopyButton(`${words().example} ${title}`, frameWords())}
              <pre tabindex="0">${code}</pre>
            </div>`,
      )}
    </div>`
  )
}

function renderHeaders(document: JsonObject, given: unknown): Html | false {
  const headers = resolveEntries(document, given)
  return (
    headers.length > 0 &&
    html`<h5>${words().headers}</h5>
      <ul class="properties">
        ${headers.map(([name, header]) => {
          const content = resolveEntries(document, header['content'])[0]?.[1]
          const about = renderAbout(document, header['schema'] ?? content?.['schema'], false)
          return renderProperty({ name, about }, renderDescription(header['description'], 5))
        })}
      </ul>`
  )
}

function renderLinks(document: JsonObject, given: unknown, operations: readonly ReferenceOperation[]): Html | false {
  const links = resolveEntries(document, given)
  return (
    links.length > 0 &&
    html`<h5>${words().links}</h5>
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
