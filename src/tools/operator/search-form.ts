import { html, type Html } from '../../shared/web/html.js'
import type { TabName, Visit } from './visit.js'

/** A field of a search: with choices one of them, otherwise a text or a day. */
export interface SearchField {
  readonly name: string
  readonly label: string
  readonly type?: 'text' | 'search' | 'date'
  readonly hint?: string
  readonly choices?: readonly (readonly [value: string, text: string])[]
}

/** The fields of a search, of which each is kept in the address. */
export function renderSearch({ root, texts, query }: Visit, tab: TabName, fields: readonly SearchField[]): Html {
  return html`<form class="search" role="search" action="${root}/${tab}">
    ${fields.map(({ name, label, type = 'text', hint = '', choices }) => {
      const value = query.get(name) ?? ''
      const control = choices
        ? html`<select id="${name}" name="${name}">
            ${choices.map(([each, text]) => html`<option value="${each}" ${each === value && html` selected`}>${text}</option>`)}
          </select>`
        : html`<input
            id="${name}"
            name="${name}"
            type="${type}"
            value="${value}"
            maxlength="254"
            placeholder="${hint}"
          />`
      return html`<div class="field${type === 'search' && ' wide'}">
        <label for="${name}">${label}</label>${control}
      </div> `
    })}
    <p><button>${texts.show}</button> <a class="button quiet" href="${root}/${tab}">${texts.clear}</a></p>
  </form>`
}

/** The address of the next page of a search. */
export function renderNext({ root, texts, query }: Visit, tab: TabName, next: string | undefined): Html | false {
  const following = new URLSearchParams(query)
  following.delete('done')
  following.set('after', next ?? '')
  return (
    next !== undefined && html`<a class="button quiet" href="${root}/${tab}?${following.toString()}">${texts.more}</a>`
  )
}

/** What was entered; undefined if that is nothing. */
export function readQuery({ query }: Pick<Visit, 'query'>, name: string): string | undefined {
  return query.get(name)?.trim() || undefined
}
