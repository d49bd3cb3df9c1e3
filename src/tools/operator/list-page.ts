import { readField } from '../../core/http/form.js'
import { isApplicationId } from '../../shared/lib/application-id.js'
import { fillText } from '../../shared/lib/fill-in.js'
import { readTokenClient } from '../../shared/lib/jwt.js'
import { readPages } from '../../shared/lib/own-members.js'
import { renderField, renderSelect } from '../../shared/web/form-field.js'
import { html, type Html } from '../../shared/web/html.js'
import { renderEmpty, renderRows, type EmptyState } from '../../shared/web/parts.js'
import { renderDone } from './actions.js'
import { renderPlainCard } from './formats.js'
import type { PageAnswer, TabName, Visit } from './visit.js'

export const PAGE_SIZE = 50

interface List {
  readonly tab: TabName
  readonly search?: readonly SearchField[] | false
  readonly table?: Html | false
  readonly rows?: readonly Html[]
  /** How many rows there are: said of all that a search has found. */
  readonly count?: number
  /** In which order, in words. */
  readonly order?: string | undefined
  readonly next?: string | undefined
  readonly actions?: Html | false
  readonly before?: Html | false
  readonly after?: Html | false
  /** What stands where there are no rows at all. */
  readonly empty?: EmptyState
}

/** A page of a list: its search, its rows or its table, and the way to more of them. */
export function renderList(visit: Visit, list: List): PageAnswer {
  const { texts, formats } = visit
  const { tab, search = false, table, rows = [], count = 0, order, next, actions = false, before, after } = list
  const isSearch = search && isNarrowed(visit)
  const isAll = count > 0 && next === undefined && readQuery(visit, 'after') === undefined && isSearch
  const counted = fillText(isAll ? texts.found : texts.shown, { count: formats.count.format(count) })
  const empty: EmptyState = isSearch ? { ...texts.noneFound, drawing: 'search' } : (list.empty ?? {})
  const following = new URLSearchParams(visit.query)
  following.delete('done')
  if (next !== undefined) following.set('after', next)
  return {
    heading: texts.tabs[tab],
    tab,
    actions,
    content: html`${renderDone(visit)} ${search && renderSearch(visit, tab, search)} ${before}
    ${count > 0 && (isAll || order) && html`<p class="soft">${counted}${order && `, ${order}`}</p>`}
    ${table || renderPlainCard(texts.tabs[tab], renderRows(rows, renderEmpty(empty)))}
    ${
      next !== undefined &&
      visit.method === 'GET' &&
      html`<p class="actions">
        <a class="button quiet" href="${visit.root}/${tab}?${following.toString()}">${texts.more}</a>
      </p>`
    }
    ${after}`,
  }
}

/** The link to the page, or to what is named, as CSV: not of what was posted, which no address may have. */
export function renderFile({ texts, query, root, method }: Visit, name: string, subject: string): Html | false {
  const address = `${root}/${name}.csv?${query.toString()}`
  const said = html`<span class="subject">${fillText(texts.csv, { subject })} </span>CSV`
  return method === 'GET' && html`<a class="action" href="${address}">${said}</a>`
}

/** A field of a search: with choices one of them, otherwise a text or a day. */
export interface SearchField {
  readonly name: string
  readonly label: string
  readonly type?: 'text' | 'search' | 'date'
  readonly hint?: string
  readonly choices?: readonly (readonly [value: string, text: string, ...unknown[]])[]
  /** The choice if the address has none. */
  readonly value?: string
}

/** The fields of a search, of which each is kept in the address. What is typed is posted first: it may be a whole credential. */
export function renderSearch(visit: Visit, tab: TabName | 'preview', fields: readonly SearchField[]): Html {
  const { root, texts, query, formToken } = visit
  const isTyped = fields.some(({ choices }) => choices === undefined)
  const hasSearch = fields[0]?.type === 'search'
  const [shown, others] = hasSearch ? [fields.slice(0, 1), fields.slice(1)] : [fields, []]
  const set = others.filter(({ name }) => query.get(name)).length
  const render = ({ name, label, type = 'text', hint = '', choices, value = '' }: SearchField): Html => {
    const entered = query.get(name) ?? value
    const most = type === 'search' ? 8000 : 254
    const typed = html`type="${type}" value="${entered}" maxlength="${most}" autocomplete="off" placeholder="${hint}"`
    const renderControl = (attributes: Html): Html =>
      choices ? renderSelect(attributes, choices, entered) : html`<input ${attributes} ${typed} />`
    return renderField({ id: name, label, problem: undefined, render: renderControl })
  }
  return html`<form class="search" role="search" action="${root}/${tab}" ${isTyped && html`method="post"`}>
    ${isTyped && html`<input type="hidden" name="token" value="${formToken}" />`} ${shown.map(render)}
    <p>
      <button class="quiet">${hasSearch ? texts.search : texts.show.filtered}</button>
      ${isNarrowed({ query }) && html`<a class="button quiet" href="${root}/${tab}">${texts.clear}</a>`}
    </p>
    ${
      hasSearch &&
      html`<details${set > 0 && html` open`}>
        <summary>${texts.filters}${set > 0 && ` (${set})`}</summary>
        <div class="filters">${others.map(render)} <button class="quiet">${texts.show.filtered}</button></div>
      </details>`
    }
  </form>`
}

/**
 * What may be in an address of what was typed: of a key or secret the beginning, which lists show, and of an access token the application
 * whose it says it is; undefined for what could be the credential of another system.
 */
export function findPublicPart(typed: string): string | undefined {
  const [, shown] = /^(\w+_(?:key|sec)_\w{4})\w*$/.exec(typed) ?? []
  if (shown !== undefined) return shown
  // A header or an address that was pasted has the credential among other parts.
  const isOpen = typed
    .split(/[\s:/?&=,;'"]+/)
    .every((part) => part.length < 16 || WORD.test(part) || isApplicationId(part))
  return isOpen ? typed : readTokenClient(typed)
}

/** A word, words, an address of a site or of an e-mail. */
const WORD =
  /^(?:\p{Lu}?\p{Ll}+|[a-zA-Z]+[.-]\D*|(?:[^@]{1,15}|[a-zA-Z]+(?:[._+-][a-zA-Z]+)*\d{0,4})@[a-z\d-]+(?:\.[a-z\d-]+)+)$/u

/** A posted search as that of an address. `isPublic`: whether nothing in it could be a credential. */
export function readPostedSearch({ fields }: Pick<Visit, 'fields'>): {
  readonly query: URLSearchParams
  readonly isPublic: boolean
} {
  const query = new URLSearchParams()
  let isPublic = true
  for (const name of fields.keys()) {
    const typed = readField(fields, name)
    if (name === 'token' || typed === '') continue
    const part = findPublicPart(typed)
    if (part === undefined) isPublic = false
    query.set(name, part ?? typed)
  }
  return { query, isPublic }
}

export function readQuery({ query }: Pick<Visit, 'query'>, name: string): string | undefined {
  return query.get(name)?.trim() || undefined
}

export function isNarrowed({ query }: Pick<Visit, 'query'>): boolean {
  return [...query.keys()].some((name) => name !== 'after' && name !== 'done' && query.get(name) !== '')
}

/** More than 30 days of 100 APIs. */
const MAX_PAGES = 4

/** A list from its beginning, without its further pages if there are more than `most` of 1,000 entries. */
export async function readEntries<Entry>(
  read: (page: { readonly limit: number; readonly after: string | undefined }) => Promise<{
    readonly items: readonly Entry[]
    readonly next?: string
  }>,
  most = MAX_PAGES,
): Promise<readonly Entry[]> {
  const pages: (readonly Entry[])[] = []
  for await (const items of readPages((after) => read({ limit: 1000, after }))) if (pages.push(items) >= most) break
  return pages.flat()
}
