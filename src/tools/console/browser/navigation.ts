import { enableCopyButtons } from './copy.js'
import { create, createButton, find, findAll, focusOn } from './elements.js'
import { fetchPage } from './fetch-page.js'
import { fillText } from '../../../shared/lib/fill-in.js'
import { pageWords } from './words.js'

/** Opens operations in place. Returns a function that shows the one in the address, and whether there is one. */
export function enableNavigation(
  main: HTMLElement,
  mark: ((key: string) => void) | undefined,
  onForm: (form: HTMLFormElement) => void,
  focusSearch: () => void,
): () => boolean {
  const findSection = (key: string): HTMLElement | undefined => {
    const section = key === '' ? null : document.getElementById(key)
    return section?.matches('section.operation') && main.contains(section) ? section : undefined
  }

  for (const section of findAll(main, 'section.operation')) {
    const toggle = find(section, '.toggle', 'a')
    if (!toggle) continue
    toggle.setAttribute('aria-expanded', String(section.classList.contains('open')))
  }
  for (const form of main.querySelectorAll<HTMLFormElement>('form.call')) onForm(form)

  function show(section: HTMLElement, isOpen: boolean): void {
    const toggle = find(section, '.toggle', 'a')
    if (!toggle) return
    let content = find(section, '.content', 'div')
    if (!content) section.append((content = create('div', { class: 'content', id: `${section.id}-content` })))
    content.hidden = !isOpen
    toggle.setAttribute('aria-expanded', String(isOpen))
    toggle.setAttribute('aria-controls', content.id)
    section.classList.toggle('open', isOpen)
    if (isOpen && content.childElementCount === 0) void load(content, toggle)
  }

  async function load(content: HTMLElement, toggle: HTMLAnchorElement): Promise<void> {
    content.setAttribute('aria-busy', 'true')
    content.replaceChildren(create('p', { class: 'note', role: 'status' }, pageWords.loading))
    const article = await fetchArticle(toggle.href)
    content.removeAttribute('aria-busy')
    if (!article) {
      const link = create('a', { href: toggle.href }, pageWords.openAsPage)
      const problem = create('p', { class: 'problem', role: 'alert' }, `${pageWords.notLoaded} `, link, '.')
      content.replaceChildren(problem)
      // An operation that was closed and opened again is loaded again.
      toggle.addEventListener('click', () => content.replaceChildren(), { once: true })
      return
    }
    content.replaceChildren(...article.childNodes)
    enableCopyButtons()
    for (const form of content.querySelectorAll<HTMLFormElement>('form.call')) onForm(form)
  }

  function goTo(key: string): boolean {
    const section = findSection(key)
    if (!section) return false
    show(section, true)
    mark?.(key)
    // jsdom has no layout.
    section.scrollIntoView?.({ block: 'start' })
    find(section, '.toggle', 'a')?.focus({ preventScroll: true })
    return true
  }

  /** Says that the address names nothing: the operation was renamed, or belongs to another API. */
  function goToHash(): boolean {
    const key = readHash()
    find(main, '.unknown', 'div')?.remove()
    if (goTo(key)) return true
    const target = key === '' ? null : document.getElementById(key)
    // jsdom has no layout.
    if (target) target.scrollIntoView?.()
    if (target || key === '' || !find(main, '.operation .toggle', 'a')) return target !== null
    const text = fillText(pageWords.unknown, { key })
    const searchButton = createButton(pageWords.search, focusSearch)
    const row = create('div', { class: 'row' }, create('p', {}, text), searchButton)
    const note = create('div', { class: 'notice warn unknown', role: 'alert' }, row)
    main.prepend(note)
    focusOn(note)
    return true
  }

  main.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[data-key]') : null
    const key = link?.dataset['key'] ?? ''
    if (!findSection(key) || !isPlainClick(event)) return
    event.preventDefault()
    if (readHash() === key) goTo(key)
    else location.hash = key
  })
  main.addEventListener('click', (event) => {
    const toggle = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a.toggle') : null
    const section = toggle?.closest<HTMLElement>('section.operation')
    if (!toggle || !section || !isPlainClick(event)) return
    event.preventDefault()
    const isOpen = toggle.getAttribute('aria-expanded') !== 'true'
    show(section, isOpen)
    if (!isOpen) return
    mark?.(section.id)
    // Reading on leaves the history alone, but the address can be copied.
    history.replaceState(history.state, '', `#${section.id}`)
  })

  return goToHash
}

/** Gives each operation its key as id. A long page has it only in the address of the operation. */
export function nameOperations(main: HTMLElement): void {
  for (const section of findAll(main, 'section.operation')) {
    const { pathname = '' } = find(section, '.toggle', 'a') ?? {}
    section.id ||= pathname.slice(pathname.lastIndexOf('/') + 1)
  }
}

export function isPlainClick({ button, metaKey, ctrlKey, shiftKey, altKey, defaultPrevented }: MouseEvent): boolean {
  return button === 0 && !metaKey && !ctrlKey && !shiftKey && !altKey && !defaultPrevented
}

function readHash(): string {
  try {
    return decodeURIComponent(location.hash.slice(1))
  } catch {
    return ''
  }
}

async function fetchArticle(url: string): Promise<Element | undefined> {
  const page = await fetchPage(url)
  const article = page?.querySelector('article.operation-content')
  if (!article) return undefined
  // The link is relative to its own page.
  for (const link of article.querySelectorAll<HTMLElement>('a[href]')) {
    const href = link.getAttribute('href')!
    const { key } = link.dataset
    if (key !== undefined && document.getElementById(key)) link.setAttribute('href', `#${key}`)
    else if (!href.startsWith('#') && URL.canParse(href, url)) link.setAttribute('href', new URL(href, url).href)
  }
  for (const image of article.querySelectorAll('img[src]'))
    image.setAttribute('src', new URL(image.getAttribute('src')!, url).href)
  return document.adoptNode(article)
}
