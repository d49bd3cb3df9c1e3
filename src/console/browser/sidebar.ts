import { create } from './elements.js'

interface Sheet {
  open(): void
  close(): void
}

/** Narrower pages show the sidebar as a sheet; reference.css has the same width. */
const NARROW = '(max-width: 63.99rem)'

/** The sidebar as a sheet over narrow pages. A native dialog keeps the focus, closes with Escape, and returns the focus. */
export function enableSheet(sidebar: HTMLElement, button: HTMLElement): Sheet {
  const place = document.createComment('')
  const closeButton = create('button', { type: 'button', class: 'button quiet', click: close }, 'Close')
  const sheet = create('dialog', { class: 'sheet', 'aria-label': 'Operations' }, closeButton)
  const narrow = matchMedia(NARROW)

  function open(): void {
    if (!narrow.matches || sheet.open) return
    sidebar.before(place)
    sheet.append(sidebar)
    document.body.append(sheet)
    button.setAttribute('aria-expanded', 'true')
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
    button.setAttribute('aria-expanded', 'false')
  }

  button.hidden = false
  button.addEventListener('click', open)
  sheet.addEventListener('close', putBack)
  sheet.addEventListener('click', ({ target }) => target === sheet && close())
  narrow.addEventListener('change', () => !narrow.matches && close())
  return { open, close }
}
