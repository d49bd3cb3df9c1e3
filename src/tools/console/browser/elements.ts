import { splitCode } from '../../../shared/lib/code-tokens.js'

type Child = Node | string | false | undefined
type Properties = Readonly<Record<string, string | boolean | undefined | ((event: Event) => void)>>

/** An element. Functions are listeners, `true` an empty attribute, `false` and `undefined` none, strings text. */
export function create<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Properties = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name)
  for (const [property, value] of Object.entries(properties)) {
    if (typeof value === 'function') element.addEventListener(property, value)
    else if (value === true) element.setAttribute(property, '')
    else if (typeof value === 'string') element.setAttribute(property, value)
  }
  element.append(...children.filter((child) => child !== false && child !== undefined))
  return element
}

export function createButton(text: string, click: () => void, classes = 'button quiet'): HTMLButtonElement {
  return create('button', { type: 'button', class: classes, click }, text)
}

export function find<Name extends keyof HTMLElementTagNameMap>(
  parent: ParentNode,
  selector: string,
  name: Name,
): HTMLElementTagNameMap[Name] | undefined {
  const found = parent.querySelector(selector)
  return found && isElement(found, name) ? found : undefined
}

export function findAll(parent: ParentNode, selector: string): HTMLElement[] {
  return [...parent.querySelectorAll<HTMLElement>(selector)]
}

export function isElement<Name extends keyof HTMLElementTagNameMap>(
  element: Element,
  name: Name,
): element is HTMLElementTagNameMap[Name] {
  return element.localName === name
}

export function describeBy(element: Element, id: string, isDescribed: boolean): void {
  const ids = (element.getAttribute('aria-describedby') ?? '').split(' ').filter((each) => each !== '' && each !== id)
  if (isDescribed) ids.push(id)
  if (ids.length > 0) element.setAttribute('aria-describedby', ids.join(' '))
  else element.removeAttribute('aria-describedby')
}

export function focusOn(element: HTMLElement | null | undefined, options?: FocusOptions): void {
  if (!element) return
  if (element.tabIndex < 0 && !element.hasAttribute('tabindex')) element.tabIndex = -1
  element.focus(options)
}

export function renderTokens(code: string, language: string | undefined): (Node | string)[] {
  if (language === undefined) return [code]
  return splitCode(code, language).map(({ kind, text }) =>
    kind === undefined ? text : create('span', { class: kind }, text),
  )
}
