import { create } from './elements.js'

interface TabsOptions {
  /** A prefix of ids. */
  readonly id: string
  readonly label: string
  readonly panel: HTMLElement
  readonly tabs: readonly { readonly value: string; readonly label: string }[]
  readonly onChoose: (value: string) => void
}

/** Tabs that share one panel. One of them is in the tab order; arrow keys, Home and End choose. */
export function createTabs({ id, label, panel, tabs, onChoose }: TabsOptions) {
  const list = create('div', { class: 'tabs', role: 'tablist', 'aria-label': label, keydown: onKey })
  const buttons = tabs.map((tab) => {
    const properties = { type: 'button', role: 'tab', id: `${id}-${tab.value}`, 'aria-controls': `${id}-panel` }
    return create('button', { ...properties, 'data-value': tab.value, click: () => onChoose(tab.value) }, tab.label)
  })
  list.append(...buttons)
  panel.id = `${id}-panel`
  panel.setAttribute('role', 'tabpanel')

  function onKey(event: Event): void {
    const { key } = event as KeyboardEvent
    const at = buttons.findIndex((button) => button.tabIndex === 0)
    const last = buttons.length - 1
    const next = { ArrowRight: at === last ? 0 : at + 1, ArrowLeft: at <= 0 ? last : at - 1, Home: 0, End: last }[key]
    const button = next === undefined ? undefined : buttons[next]
    if (!button) return
    event.preventDefault()
    onChoose(button.dataset['value']!)
    button.focus()
  }

  return {
    list,
    choose(value: string): void {
      for (const button of buttons) {
        const isChosen = button.dataset['value'] === value
        button.setAttribute('aria-selected', String(isChosen))
        button.tabIndex = isChosen ? 0 : -1
        if (isChosen) panel.setAttribute('aria-labelledby', button.id)
      }
    },
  }
}
