import { create, createButton, find, findAll } from './elements.js'
import { pageWords } from './words.js'

/** Narrower pages show the sidebar as a sheet; reference.css has the same width. */
const NARROW = '(max-width: 63.99rem)'

/** The sidebar as a sheet over narrow pages. A native dialog keeps the focus, closes with Escape, and returns the focus. */
export function enableSheet(sidebar: HTMLElement, buttons: readonly HTMLElement[]) {
  const place = document.createComment('')
  const closeButton = createButton(pageWords.close, close)
  const sheet = create('dialog', { class: 'sheet', 'aria-label': sidebar.ariaLabel ?? undefined }, closeButton)
  const narrow = matchMedia(NARROW)

  function open(): void {
    if (!narrow.matches || sheet.open) return
    sidebar.before(place)
    sheet.append(sidebar)
    document.body.append(sheet)
    setExpanded(true)
    sheet.showModal()
    sidebar.querySelector('[aria-current]')?.scrollIntoView?.({ block: 'nearest' })
  }

  function close(): void {
    if (sheet.open) sheet.close()
    putBack()
  }

  function putBack(): void {
    if (!place.isConnected) return
    place.replaceWith(sidebar)
    sheet.remove()
    setExpanded(false)
  }

  function setExpanded(isExpanded: boolean): void {
    for (const button of buttons) button.setAttribute('aria-expanded', String(isExpanded))
  }

  setExpanded(false)
  for (const button of buttons) {
    button.hidden = false
    button.addEventListener('click', open)
  }
  sheet.addEventListener('close', putBack)
  sheet.addEventListener('click', ({ target }) => target === sheet && close())
  narrow.addEventListener('change', () => !narrow.matches && close())
  return { open, close }
}

/** Shorter lists are open from the start. */
const MAX_OPEN = 40

/** Folds each group of the sidebar with its operations. Returns a function that marks an operation. */
export function enableSidebar(sidebar: HTMLElement, main: HTMLElement): (key: string) => void {
  const groups = findAll(sidebar, 'a[data-count]').map((link) => createGroup(link, main))
  // The page of an operation or of a schema has its list open.
  show(find(sidebar, '[aria-current]', 'a'))
  const total = groups.reduce((sum, { count }) => sum + count, 0)
  if (total <= MAX_OPEN) for (const { open } of groups) open()

  return (key) => {
    if (groups.length === 0) return
    for (const link of findAll(sidebar, '[aria-current]')) link.removeAttribute('aria-current')
    const place = document.getElementById(key)?.closest('section.tag')
    const group = groups.find(({ section }) => section !== null && section === place)
    group?.open()
    const link = group && findAll(group.details, 'a[data-key]').find((each) => each.dataset['key'] === key)
    link?.setAttribute('aria-current', 'true')
    show(link)
  }

  /** The sidebar alone scrolls, not the page to it. */
  function show(link: HTMLElement | undefined): void {
    const { top = 0, bottom = 0 } = link?.getBoundingClientRect() ?? {}
    if (top < 0 || bottom > innerHeight) sidebar.scrollBy?.(0, top - innerHeight / 2)
  }
}

function createGroup(link: HTMLElement, main: HTMLElement) {
  const section = document.getElementById(link.getAttribute('href')!.slice(1))
  const list = create('ul')
  const details = create('details', {}, create('summary', {}, ...link.childNodes), list)
  link.replaceWith(details)
  const open = (): void => {
    details.open = true
    fill()
  }

  /** Long lists are made when they are opened: the page has them already. */
  function fill(): void {
    if (list.childElementCount > 0 || !section) return
    const toggles = findAll(section, '.operation > h3 > .toggle, a.also').filter((each) => main.contains(each))
    list.append(
      ...toggles.map((toggle) => {
        const key = toggle.dataset['key'] ?? toggle.closest('section')!.id
        const item = create('a', { href: `#${key}`, 'data-key': key })
        item.append(...[...toggle.childNodes].map((node) => node.cloneNode(true)))
        return create('li', {}, item)
      }),
    )
  }

  details.addEventListener('toggle', fill)
  return { details, section, count: Number(link.dataset['count']), open }
}
