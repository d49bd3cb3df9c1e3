import { html, type Html } from '../../../shared/web/html.js'
import { renderCopyButton } from '../../../shared/web/first-steps.js'
import { renderChip, renderEmpty, renderMethod } from '../../../shared/web/parts.js'
import type { Api } from '../../../index.js'
import { asObject } from '../../../shared/openapi/document.js'
import { renderQuickStart } from '../api-samples.js'
import { renderAlternates, renderExportLinks } from '../export/exports.js'
import { listHeadings, normalizeAnchor, redirectAnchors, renderInformation, type Heading } from './information.js'
import { renderDescription } from './markdown.js'
import { renderExternalDocs, renderOperation, type Reference } from './operation.js'
import { RESERVED_IDS, groupByTag, type ReferenceOperation, type TagGroup } from './operations.js'
import { renderNeighbours, type Site } from '../page.js'
import { renderReferenceFrame } from './frame.js'
import { listNamedSchemas, type NamedSchema } from './named-schemas.js'
import { renderPath, renderTitle } from './side-list.js'
import { readText, resolve, readSchema, describeType } from './read-schema.js'
import { frameWords, words } from '../words.js'
import { renderSchema } from './schema.js'
import { listMembers } from './schema-rules.js'
import { findKnownValue } from './examples.js'
import { renderExamples } from './responses.js'

/** The reference of one API: all operations as a list, and their groups in a sidebar. Each links to its page, which works without scripts. */
export function renderReferencePage(reference: Reference, options: Site): string {
  const { api, document, operations } = reference
  const schemas = listNamedSchemas(document)
  const groups = groupByTag(document, operations)
  const ids = [...RESERVED_IDS, ...operations.map(({ key }) => key), ...groups.map(({ id }) => id)]
  const information = renderInformation(document, api.description, ids)
  const version = readText(asObject(document['info'])['version'])
  const headings = listHeadings(information)
  return renderReferenceFrame(reference, options, {
    up: '',
    headings,
    head: renderAlternates(api, ''),
    content: html`<div class="top">
        <div>
          <h1>${api.title}</h1>
          <p class="chips">
            ${version !== undefined && renderChip(`v${version}`)} <span class="chip">${words()[api.scheme]}</span>
            <span class="copyable">${renderChip(api.resource)} ${renderCopyButton(words().baseUrl, frameWords())}</span>
          </p>
          ${redirectAnchors(information, listPlaces(reference, groups, headings))}
        </div>
        ${renderDownloads(api)} ${renderQuickStart(api, document)}
      </div>
      ${groups.map((group) => renderGroup(api.name, group, operations.length <= MAX_NAMED))}
      ${operations.length === 0 && renderEmpty({ title: words().noOperations, next: words().howOperationsCome })}
      ${
        operations.length === 0 &&
        schemas.length > 0 &&
        html`<h2>${words().schemas}</h2>
          ${renderSchemaList(reference, `${api.name}/schemas`)}`
      }`,
  })
}

function renderDownloads(api: Api): Html {
  return html`<details class="downloads">
    <summary class="button quiet chevron">${words().download}</summary>
    <p class="links">${renderExportLinks(api, '')}</p>
  </details>`
}

function listPlaces({ api, operations }: Reference, groups: readonly TagGroup[], headings: readonly Heading[]) {
  const places = [
    ...operations.map(({ key }) => [key, `href="${api.name}/operations/${key}" data-key="${key}"`] as const),
    ...groups.map(({ id, title }) => [title, `href="#${id}"`] as const),
    ...headings.map(({ id }) => [id, `href="#${id}"`] as const),
  ]
  return new Map(places.map(([name, attributes]) => [normalizeAnchor(name), attributes]))
}

export function renderOperationPage(reference: Reference, operation: ReferenceOperation, options: Site): string {
  const { operations } = reference
  return renderReferenceFrame(reference, options, {
    title: operation.summary ?? operation.key,
    up: '../../',
    current: operation,
    content: html`<section class="operation open" id="${operation.key}">
        ${renderEndpoint(reference.api, operation)}
        <div class="content">${renderOperation(reference, operation)}</div>
      </section>
      ${renderNeighbours(operations, operations.indexOf(operation), ({ key, summary }) => [key, summary ?? key])}`,
  })
}

function renderEndpoint(api: Api, { method, path, deprecated, isWebhook }: ReferenceOperation): Html {
  return html`<div class="endpoint copyable">
    <h3>
      ${renderMethod(method)}
      <code
        >${!isWebhook && html`<span class="base">${renderPath(api.resource, false)}</span>`}<span
          class="path${deprecated && ' old'}"
          >${renderPath(path, isWebhook)}</span
        ></code
      >
    </h3>
    ${!isWebhook && renderCopyButton(words().address, frameWords())}
  </div>`
}

function renderGroup(name: string, tag: TagGroup, isNamed: boolean): Html | false {
  const { id, title, above, description, externalDocs, ...group } = tag
  const { operations, others } = group
  if (operations.length + others.length === 0 && description === undefined) return false
  const { markup } = html`${operations.map((each) => renderListed(name, each, isNamed))}
  ${
    others.length > 0 &&
    html`<p class="note">${words().also}</p>
      <ul class="others">
        ${others.map((each) => html`<li><a class="also" data-key="${each.key}" href="${name}/operations/${each.key}">${renderTitle(each)}</a></li>`)}
      </ul>`
  }`
  return html`<section class="tag" id="${id}">
    <h2>${above.map((over) => html`<span class="above">${over} / </span>`)}${title}</h2>
    ${renderDescription(description, 3)} ${renderExternalDocs(externalDocs)}
    <div class="operations${!isNamed && ' many'}">${{ markup: markup.replaceAll(/\s*\n\s*/g, '\n') }}</div>
  </section>`
}

/** With more operations, each key is in the page once, in the link, and the script makes it the id too. */
const MAX_NAMED = 500

function renderListed(name: string, operation: ReferenceOperation, isNamed: boolean): Html {
  return html`<section class="operation" ${isNamed && html` id="${operation.key}"`}>
    <h3><a class="toggle chevron" href="${name}/operations/${operation.key}">${renderTitle(operation)}</a></h3>
  </section>`
}

export function renderSchemasPage(reference: Reference, options: Site): string {
  return renderReferenceFrame(reference, options, {
    title: words().schemas,
    up: '../',
    current: 'schemas',
    content: renderSchemaList(reference, 'schemas'),
  })
}

/** A schema without a description is known by its first members. */
const MAX_MEMBERS = 8

function renderSchemaList({ document }: Reference, folder: string): Html {
  return html`<ul class="schemas">
    ${listNamedSchemas(document).map(({ key, name, schema }) => {
      const { title, description } = resolve(document, schema)
      const [text = ''] = (readText(description) ?? readText(title) ?? '').split('\n', 1)
      const members = listMembers(readSchema(document, schema)).map(({ label }) => label)
      const shown = members.slice(0, MAX_MEMBERS).join(', ') + (members.length > MAX_MEMBERS ? ', …' : '')
      return html`<li>
        <a class="chevron" href="${folder}/${key}"
          ><code>${name}</code>
          <span class="note">${text === name || text === '' ? shown || describeType(document, schema) : text}</span></a
        >
      </li>`
    })}
  </ul>`
}

export function renderSchemaPage(reference: Reference, named: NamedSchema, options: Site): string {
  const { document } = reference
  const { name, schema } = named
  // Members of a schema that no operation shows have examples that are made.
  const value = findKnownValue(document, schema)
  const content = { schema, ...(value !== undefined && { example: value }) }
  return renderReferenceFrame(reference, options, {
    title: name,
    up: '../../',
    current: named,
    content: html`<div class="pair">
      <div class="facts">${renderSchema(document, schema)}</div>
      <div class="beside">
        <div class="codes">
          ${renderExamples(document, 'example', [[words().example, { 'application/json': content }]])}
        </div>
      </div>
    </div>`,
  })
}
