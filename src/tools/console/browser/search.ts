import { create, createButton, find, findAll } from './elements.js'
import { fetchPage } from './fetch-page.js'
import { nameOperations } from './navigation.js'
import { createSearch, type Search, type SearchEntry } from './search-ranking.js'
import { fillText } from '../../../shared/lib/fill-in.js'
import { pageWords } from './words.js'

/** The list is this long at first: each key has to be answered within 50 ms. */
const MAX_SHOWN = 30

/** A row of search.json: an operation of the page, or with a title something that has a page of its own. */
type Row = readonly [key: string, words: string, title?: string]

/**
 * The search over the operations of a page: a combobox whose list replaces the sidebar's while something is entered. `words`: the URL of
 * those that are not in the page.
 */
export function enableSearch(sidebar: HTMLElement, main: HTMLElement, words: string | undefined) {
  const input = find(sidebar, '.search', 'input')
  if (!input) return undefined
  const groups = find(sidebar, '.groups', 'ul')
  let rows: readonly Row[] = []
  let listed = main
  const list = create('ul', {
    class: 'results',
    id: 'search-results',
    role: 'listbox',
    'aria-label': pageWords.matchList,
    hidden: true,
  })
  const count = create('p', { class: 'count unseen', role: 'status' })
  const clearButton = createButton(pageWords.clear, clear, 'button quiet clear')
  let search: Search | undefined
  let chosen = -1
  let shown = MAX_SHOWN

  /** Until the words have been loaded, method, path and summary are searched. */
  async function load(): Promise<void> {
    if (search) return
    search = createSearch(listEntries(listed, rows))
    if (words === undefined) return
    try {
      const [found, reference] = await Promise.all([
        fetch(words).then(async (response) => (await response.json()) as Row[]),
        find(main, '.toggle', 'a') ? undefined : fetchPage(words.slice(0, words.lastIndexOf('/'))),
      ])
      rows = found
      listed = reference?.querySelector('main') ?? main
      nameOperations(listed)
      search = createSearch(listEntries(listed, rows))
      if (input!.value !== '') showAgain()
    } catch {
      // The words of the page can be searched anyway.
      search = undefined
    }
  }

  function show(limit = MAX_SHOWN): void {
    shown = limit
    const query = input!.value.trim()
    const isActive = query !== ''
    const keys = isActive ? (search ?? createSearch(listEntries(listed, rows)))(query) : []
    const options = keys.slice(0, limit).map((key, at) => createOption(listed, rows, key, at))
    for (const option of options) markMatches(option, query)
    if (keys.length > limit) options.push(createMoreOption(keys.length, options.length))
    list.replaceChildren(...options)
    list.hidden = keys.length === 0
    // Where nothing matches, the list of all is what goes on.
    if (groups) groups.hidden = !list.hidden
    clearButton.remove()
    if (isActive && list.hidden) count.after(clearButton)
    input!.setAttribute('aria-expanded', String(!list.hidden))
    count.textContent = isActive ? formatCount(keys.length, limit) : ''
    count.classList.toggle('unseen', !isActive)
    choose(list.hidden ? -1 : 0)
  }

  function showAgain(): void {
    const before = list.children[chosen] as HTMLElement | undefined
    show(shown)
    const at = [...list.children].findIndex(
      (option) => (option as HTMLElement).dataset['key'] === before?.dataset['key'],
    )
    if (before && at !== -1) choose(at)
  }

  function choose(next: number): void {
    const options = [...list.children]
    options[chosen]?.setAttribute('aria-selected', 'false')
    chosen = next
    const option = options[next]
    option?.setAttribute('aria-selected', 'true')
    // jsdom has no layout.
    option?.scrollIntoView?.({ block: 'nearest' })
    if (option) input!.setAttribute('aria-activedescendant', option.id)
    else input!.removeAttribute('aria-activedescendant')
  }

  function clear(): void {
    input!.value = ''
    show()
    input!.focus()
  }

  function open(option: Element | null | undefined): void {
    if (!(option instanceof HTMLElement)) return
    const { key } = option.dataset
    if (key === undefined) {
      const at = [...list.children].indexOf(option)
      show(Infinity)
      choose(at)
      return input!.focus()
    }
    clear()
    // A link opens the operation here, or the page of an operation or a schema.
    const path = findOperation(listed, key) ? `operations/${key}` : key
    const link = create('a', { href: findOperation(main, key) ? `#${key}` : new URL(path, words).href, hidden: true })
    sidebar.append(link)
    link.click()
    link.remove()
  }

  input.addEventListener('keydown', (event) => {
    const { length } = list.children
    if (event.key === 'Escape' && input.value !== '') clear()
    else if (event.key === 'Enter') open(list.children[chosen])
    else if (event.key === 'ArrowDown' && length > 0) choose((chosen + 1) % length)
    else if (event.key === 'ArrowUp' && length > 0) choose((chosen - 1 + length) % length)
    else return
    // Escape would close the sheet too.
    event.preventDefault()
    event.stopPropagation()
  })
  input.addEventListener('focus', () => void load())
  input.addEventListener('input', () => show())
  list.addEventListener('click', ({ target }) => open((target as Element).closest('[role="option"]')))
  const roles = { role: 'combobox', 'aria-autocomplete': 'list', 'aria-controls': list.id, 'aria-expanded': 'false' }
  for (const [name, value] of Object.entries(roles)) input.setAttribute(name, value)
  const box = find(sidebar, '.find', 'div')
  box?.after(count, list)
  box?.removeAttribute('hidden')
  return { focus: (): void => input.focus() }
}

function listEntries(listed: HTMLElement, rows: readonly Row[]): SearchEntry[] {
  const words = new Map(rows.map((row) => [row[0], row[1]]))
  const operations = findAll(listed, 'section.operation').map((section) => {
    const read = (name: string): string => section.querySelector(`h3 .${name}`)?.textContent ?? ''
    const { id: key } = section
    return { key, method: read('method'), path: read('path'), summary: read('summary'), words: words.get(key) ?? '' }
  })
  const others = rows.flatMap(([key, text, title]) =>
    title === undefined ? [] : [{ key, method: 'schema', path: '', summary: title, words: text }],
  )
  return [...operations, ...others]
}

function findOperation({ ownerDocument }: HTMLElement, key: string): HTMLElement | undefined {
  const section = ownerDocument.getElementById(key)
  return section?.matches('main section.operation') ? section : undefined
}

function createOption(listed: HTMLElement, rows: readonly Row[], key: string, at: number): HTMLElement {
  const attributes = { role: 'option', id: `search-result-${at}`, 'data-key': key, 'aria-selected': 'false' }
  const toggle = findOperation(listed, key)?.querySelector('.toggle')
  if (toggle) return create('li', attributes, ...[...toggle.childNodes].map((node) => node.cloneNode(true)))
  const title = rows.find((row) => row[0] === key)?.[2]
  return create(
    'li',
    attributes,
    create('span', { class: 'method' }, pageWords.schema),
    create('span', { class: 'path' }, title),
  )
}

function markMatches(option: HTMLElement, query: string): void {
  const words = query.split(/\s+/).map((word) => word.replaceAll(/[^\p{L}\p{N}]/gu, '\\$&'))
  for (const part of findAll(option, '.path, .summary')) {
    const pieces = part.textContent.split(new RegExp(`(${words.join('|')})`, 'i'))
    part.replaceChildren(...pieces.map((piece, at) => (at % 2 === 1 ? create('mark', {}, piece) : piece)))
  }
}

function createMoreOption(count: number, at: number): HTMLElement {
  const attributes = { role: 'option', id: `search-result-${at}`, class: 'more', 'aria-selected': 'false' }
  return create('li', attributes, fillText(pageWords.showAll, { count }))
}

function formatCount(count: number, limit: number): string {
  if (count === 0) return pageWords.noMatch
  const more = count > limit ? fillText(pageWords.best, { limit }) : ''
  return `${count === 1 ? pageWords.oneMatch : fillText(pageWords.matches, { count })}${more}`
}

/** `/`, except in a field, and Ctrl or Command with K. */
export function isSearchKey({ key, ctrlKey, metaKey, altKey, target }: KeyboardEvent): boolean {
  const isTyping =
    target instanceof HTMLElement && (target.isContentEditable || target.matches('input, select, textarea'))
  if (key === '/') return !ctrlKey && !metaKey && !altKey && !isTyping
  return key.toLowerCase() === 'k' && (ctrlKey || metaKey) && !altKey
}
