import { html, type Html } from '../../../shared/web/html.js'
import { renderChip, renderMethod } from '../../../shared/web/parts.js'
import type { Api } from '../../../index.js'
import { asObject } from '../../../shared/openapi/document.js'
import { renderQuickStart } from '../api-samples.js'
import { renderAlternates, renderExportLinks } from '../export/exports.js'
import { listHeadings, normalizeAnchor, redirectAnchors, renderInformation, type Heading } from './information.js'
import { renderDescription } from './markdown.js'
import { renderExternalDocs, renderOperation, type Reference } from './operation.js'
import { RESERVED_IDS, type ReferenceOperation } from './operations.js'
import { renderReferenceFrame, type ReferencePageOptions } from './frame.js'
import { renderSchemaList } from './schema-pages.js'
import { listNamedSchemas } from './named-schemas.js'
import { groupByTag, type TagGroup } from './tags.js'
import { readText } from './resolve.js'
import { words } from '../words.js'

/** The reference of one API: all operations as a list, and their groups in a sidebar. Each links to its page, which works without scripts. */
export function renderReferencePage(reference: Reference, options: ReferencePageOptions): string {
  const { api, document, operations } = reference
  const schemas = listNamedSchemas(document)
  const groups = groupByTag(document, operations)
  const ids = [...RESERVED_IDS, ...operations.map(({ key }) => key), ...groups.map(({ id }) => id)]
  const information = renderInformation(document, api.description, ids)
  const version = readText(asObject(document['info'])['version'])
  const headings = listHeadings(information)
  return renderReferenceFrame(reference, options, {
    root: '../',
    head: renderAlternates(api, ''),
    sidebar: renderSidebar(
      groups,
      headings,
      schemas.length > 0 &&
        html`<li>
          <a href="${api.name}/schemas">${words().schemas} <span class="size">${schemas.length}</span></a>
        </li>`,
    ),
    content: html`<div class="top">
        <div>
          <h1>${api.title}</h1>
          <p class="chips">
            ${version !== undefined && renderChip(`v${version}`)} ${renderChip(words()[api.scheme])}
            ${renderChip(api.resource)}
          </p>
          ${redirectAnchors(information, listPlaces(reference, groups, headings))}
        </div>
        ${renderDownloads(api)} ${renderQuickStart(api, document)}
      </div>
      ${groups.map((group) => renderGroup(api.name, group, operations.length <= MAX_NAMED))}
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
    <summary class="button quiet">${words().download}</summary>
    <p class="links">${renderExportLinks(api, '')}</p>
  </details>`
}

/** What links of the description can name, with the attributes of a link to it. */
function listPlaces({ api, operations }: Reference, groups: readonly TagGroup[], headings: readonly Heading[]) {
  const places = [
    ...operations.map(({ key }) => [key, `href="${api.name}/operations/${key}" data-key="${key}"`] as const),
    ...groups.map(({ id, title }) => [title, `href="#${id}"`] as const),
    ...headings.map(({ id }) => [id, `href="#${id}"`] as const),
  ]
  return new Map(places.map(([name, attributes]) => [normalizeAnchor(name), attributes]))
}

/** The page of one operation. The reference shows its article in place. */
export function renderOperationPage(
  reference: Reference,
  operation: ReferenceOperation,
  options: ReferencePageOptions,
): string {
  const { api } = reference
  return renderReferenceFrame(reference, options, {
    title: operation.summary ?? `${operation.method} ${operation.path}`,
    root: '../../../',
    sidebar: renderNeighbours(reference, operation),
    content: html`<h1><a href="../../${api.name}#${operation.key}">${api.title}</a></h1>
      <h2>${operation.summary ?? operation.key}</h2>
      <section class="operation open" id="${operation.key}">
        <h3>${renderTitle(operation)}</h3>
        <div class="content">${renderOperation(reference, operation)}</div>
      </section>`,
  })
}

/** More operations of a group would make each of its pages long. */
const MAX_NEIGHBOURS = 40

/** Links to the operations of the same group: all, or those around this one. */
function renderNeighbours({ api, document, operations }: Reference, operation: ReferenceOperation): Html | undefined {
  const group = groupByTag(document, operations).find((each) => each.operations.includes(operation))
  if (!group) return undefined
  const before = group.operations.indexOf(operation) - MAX_NEIGHBOURS / 2
  const from = Math.max(0, Math.min(before, group.operations.length - MAX_NEIGHBOURS))
  return html`<nav id="sidebar" class="neighbours" aria-label="${words().operations}">
    <ul class="groups">
      <li>
        <a href="../../${api.name}#${group.id}">${group.title} <span class="size">${group.operations.length}</span></a>
      </li>
    </ul>
    <ul class="listed">
      ${group.operations.slice(from, from + MAX_NEIGHBOURS).map((each) => html`<li><a href="${each.key}" ${each === operation && html` aria-current="page"`}>${renderTitle(each)}</a></li> `)}
    </ul>
  </nav>`
}

/** Links to the groups of operations. The script makes each a list that folds, of what the page lists below the heading. */
function renderSidebar(groups: readonly TagGroup[], headings: readonly Heading[], schemas: Html | false): Html {
  return html`<nav id="sidebar" aria-label="${words().operations}">
    <div class="find" hidden>
      <input
        type="search"
        class="search"
        aria-label="${words().searchOperations}"
        aria-keyshortcuts="/ Control+K"
        placeholder="${words().search}"
        autocomplete="off"
        spellcheck="false"
      /><kbd aria-hidden="true">Ctrl K</kbd>
    </div>
    <ul class="groups">
      ${headings.map(({ id, text, level }) => html`<li${level > 2 && html` class="in"`}><a href="#${id}">${text}</a></li> `)}
      ${groups.map(({ id, title, above, operations, others }) => {
        const count = operations.length + others.length
        if (count === 0) return html`<li class="over">${title}</li> `
        const link = html`<a href="#${id}" data-count="${count}">${title} <span class="size">${count}</span></a>`
        return html`<li${above.length > 0 && html` class="in"`}>${link}</li> `
      })}
      ${schemas}
    </ul>
  </nav>`
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
    <div class="operations">${{ markup: markup.replaceAll(/\s*\n\s*/g, '\n') }}</div>
  </section>`
}

/** With more operations, each key is in the page once, in the link, and the script makes it the id too. */
const MAX_NAMED = 500

function renderListed(name: string, operation: ReferenceOperation, isNamed: boolean): Html {
  return html`<section class="operation" ${isNamed && html` id="${operation.key}"`}>
    <h3><a class="toggle" href="${name}/operations/${operation.key}">${renderTitle(operation)}</a></h3>
  </section>`
}

function renderTitle({ method, path, summary, deprecated, isWebhook }: ReferenceOperation): Html {
  return html`${renderMethod(method)}
    <span class="path${deprecated && ' old'}">${renderPath(path, isWebhook)}</span
    >${summary !== undefined && html` <span class="summary">${summary}</span>`}${deprecated && html` <span class="note">${words().deprecated}</span>`}`
}

/** Lines may break after a slash. */
function renderPath(path: string, isWebhook: boolean): Html | string {
  if (isWebhook) return path
  return html`${path.split(/(?<=[^/]\/)(?=[^/])/).map((part, at) => html`${at > 0 && html`<wbr />`}${part}`)}`
}
