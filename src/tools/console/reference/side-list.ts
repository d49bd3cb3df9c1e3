import { html, type Html } from '../../../shared/web/html.js'
import { renderMethod } from '../../../shared/web/parts.js'
import type { Heading } from './information.js'
import { listNamedSchemas, type NamedSchema } from './named-schemas.js'
import type { Reference } from './operation.js'
import { groupByTag, type ReferenceOperation } from './operations.js'
import type { Site } from '../page.js'
import { words } from '../words.js'

export interface SideListOptions {
  /** The relative path from the page to `apis/`, such as `../../`; empty for the reference itself, whose groups are below the heading. */
  readonly up: string
  readonly headings?: readonly Heading[]
  readonly current?: ReferenceOperation | NamedSchema | 'schemas' | 'samples'
}

/** More operations or schemas of a group would make each of its pages long. */
const MAX_NEIGHBOURS = 40

/**
 * The list at the left of each page of a reference: search, the other APIs, groups of operations, schemas. The group of what the page shows
 * is open. On the page of the reference the script makes each group a list that folds, of what the page has below the heading.
 */
export function renderSideList(
  { api, document, operations }: Reference,
  { apis, documents }: Pick<Site, 'apis' | 'documents'>,
  { up, headings = [], current }: SideListOptions,
): Html {
  const isReference = up === ''
  const folder = isReference ? `${api.name}/` : up.slice('../'.length)
  const schemas = listNamedSchemas(document)
  const isSchema = current === 'schemas' || (typeof current === 'object' && 'schema' in current)
  const shown = typeof current === 'object' ? current : undefined
  const others = apis.filter(({ name }) => name !== api.name && documents.has(name))
  return html`<nav id="sidebar" ${!isReference && html` class="neighbours"`} aria-label="${words().operations}">
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
    ${
      others.length > 0 &&
      html`<details class="apis">
        <summary>${api.title} <span>${others.length + 1} ${words().apis}</span></summary>
        <ul>
          ${others.map(({ name, title }) => html`<li><a href="${up}${name}">${title}</a></li> `)}
        </ul>
      </details>`
    }
    <ul class="groups">
      <li><a href="${up}${api.name}" ${isReference && html` aria-current="page"`}>${words().overview}</a></li>
      <li class="page">
        <a href="${folder}samples" ${current === 'samples' && html` aria-current="page"`}>${words().samples}</a>
      </li>
      ${headings.map(({ id, text, level }) => html`<li${level > 2 && html` class="in"`}><a href="#${id}">${text}</a></li> `)}
      ${groupByTag(document, operations).map(({ id, title, above, ...group }) => {
        const count = group.operations.length + group.others.length
        if (count === 0) return html`<li class="over">${title}</li> `
        const name = html`${title} <span class="size">${count}</span>`
        const isOpen = group.operations.some((each) => each === shown)
        const list = isOpen
          ? renderOpen(name, listNeighbours(group.operations, shown), (each) => [
              `${folder}operations/${each.key}`,
              renderTitle(each),
            ])
          : html`<a
              class="chevron"
              href="${!isReference && up + api.name}#${id}"
              ${isReference && html` data-count="${count}"`}
              >${name}</a
            >`
        return html`<li${above.length > 0 && html` class="in"`}>${list}</li> `
      })}
      ${
        schemas.length > 0 &&
        html`<li>
          ${
            isSchema
              ? renderOpen(
                  html`${words().schemas} <span class="size">${schemas.length}</span>`,
                  listNeighbours(schemas, shown),
                  (each) => [`${folder}schemas/${each.key}`, html`${each.name}`],
                )
              : html`<a class="chevron" href="${folder}schemas"
                  >${words().schemas} <span class="size">${schemas.length}</span></a
                >`
          }
        </li>`
      }
    </ul>
  </nav>`

  function renderOpen<Each>(
    name: Html,
    listed: readonly Each[],
    read: (each: Each) => readonly [href: string, title: Html],
  ): Html {
    return html`<details open>
      <summary ${current === 'schemas' && html` aria-current="page"`}>${name}</summary>
      <ul>
        ${listed.map((each) => {
          const [href, title] = read(each)
          return html`<li><a href="${href}" ${each === current && html` aria-current="page"`}>${title}</a></li> `
        })}
      </ul>
    </details>`
  }
}

function listNeighbours<Each>(all: readonly Each[], current: unknown): readonly Each[] {
  const before = all.findIndex((each) => each === current) - MAX_NEIGHBOURS / 2
  const from = Math.max(0, Math.min(before, all.length - MAX_NEIGHBOURS))
  return all.slice(from, from + MAX_NEIGHBOURS)
}

export function renderTitle({ method, path, summary, deprecated, isWebhook }: ReferenceOperation): Html {
  return html`${renderMethod(method)}
    <span class="path${deprecated && ' old'}">${renderPath(path, isWebhook)}</span
    >${summary !== undefined && html` <span class="summary">${summary}</span>`}${deprecated && html` <span class="note">${words().deprecated}</span>`}`
}

export function renderPath(path: string, isWebhook: boolean): Html | string {
  if (isWebhook) return path
  return html`${path.split(/(?<=[^/]\/)(?=[^/])/).map((part, at) => html`${at > 0 && html`<wbr />`}${part}`)}`
}
