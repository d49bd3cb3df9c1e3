import { createSamples } from '../../../shared/samples/samples.js'
import type { Sample, SampleCall } from '../../../shared/samples/prepare.js'
import { createCopyButton } from './copy.js'
import { create, createButton, renderTokens } from './elements.js'
import { findControls, readEncoding, readForm } from './form.js'
import type { PageUse } from './page.js'
import { buildHeaders, buildUrl } from '../../../shared/samples/request.js'
import { callWords } from './words.js'

interface SamplesOptions extends PageUse {
  readonly languages: ReturnType<typeof createLanguageChoice>
}

/** While the reader types, samples are written after a pause of this length. */
const TYPING_PAUSE_MS = 150
/** Makes ids. crypto.randomUUID() needs a secure context. */
let count = 0

export function enableSamples(form: HTMLFormElement, section: HTMLElement, options: SamplesOptions): void {
  const { session, languages, signal } = options
  const code = create('code')
  const token = create('details', {}, create('summary', {}, callWords.tokenFirst), create('code'))
  const panel = create('pre', { tabindex: '0' }, token, code)
  let full = ''
  let isRevealed = false

  const write = () => createSamples(readSampleCall(form, options, isRevealed))
  const tabs = createTabs(`samples-${++count}`, panel, write(), languages.choose)
  const reveal = createButton(callWords.reveal, toggle, 'reveal button quiet')
  const copy = createCopyButton(() => full, callWords.copySample)
  section.replaceChildren(create('div', { class: 'head' }, tabs.list, copy), panel, reveal)

  function toggle(): void {
    isRevealed = !isRevealed
    render()
  }

  function render(): void {
    const canReveal = session.hasCredentials()
    if (!canReveal) isRevealed = false
    reveal.hidden = !canReveal
    reveal.textContent = isRevealed ? callWords.hide : callWords.reveal
    const samples = write()
    const sample = samples.find(({ language }) => language === languages.read()) ?? samples[0]
    if (!sample) return
    tabs.choose(sample.language)
    full = sample.code
    // The call is seen first: the command that gets the token is folded.
    const end = full.startsWith('ACCESS_TOKEN=') ? full.indexOf('\n\n') : -1
    code.replaceChildren(...renderTokens(full.slice(end < 0 ? 0 : end + 2), sample.language))
    token.hidden = end < 0
    token.lastElementChild!.replaceChildren(...renderTokens(full.slice(0, Math.max(0, end)), sample.language))
  }

  let pause: ReturnType<typeof setTimeout> | undefined
  const renderSoon = (): void => {
    clearTimeout(pause)
    pause = setTimeout(render, TYPING_PAUSE_MS)
  }
  form.addEventListener('input', renderSoon)
  form.addEventListener('change', renderSoon)
  session.subscribe(render, signal)
  languages.subscribe(render, signal)
  render()
}

export function createLanguageChoice() {
  const listeners = new Set<() => void>()
  let chosen = 'curl'
  return {
    read: () => chosen,
    choose(language: string): void {
      if (language === chosen) return
      chosen = language
      for (const listener of listeners) listener()
    },
    subscribe(listener: () => void, signal: AbortSignal): void {
      listeners.add(listener)
      signal.addEventListener('abort', () => listeners.delete(listener))
    },
  }
}

/** A path parameter without a value yet: its name, or the first one of its choices, as in the samples of the server. */
function listPlaceholders(form: HTMLFormElement) {
  return findControls(form, '.parameters [data-in="path"]').flatMap((control) => {
    if (control.value !== '') return []
    const encoding = readEncoding(control)
    const named = encoding.name.replaceAll(/\W+/g, '_').toUpperCase()
    const value = control instanceof HTMLSelectElement ? (control.options[1]?.value ?? named) : named
    return [{ ...encoding, in: 'path' as const, value }]
  })
}

function readSampleCall(form: HTMLFormElement, { page, session }: SamplesOptions, isRevealed: boolean): SampleCall {
  const { input: filled } = readForm(form, page.resource)
  const input = { ...filled, parameters: [...filled.parameters, ...listPlaceholders(form)] }
  const { scheme, tokenEndpoint, keyHeader } = page.api
  const { key, secret } = (isRevealed && session.read()) || {}
  return {
    scheme: form.dataset['security'] === 'none' ? 'none' : scheme,
    method: input.method,
    url: buildUrl(input),
    headers: buildHeaders(input),
    body: input.body,
    tokenEndpoint,
    keyHeader,
    credentials: { key, secret: secret || undefined, provesKey: page.api.proof === 'only' },
  }
}

function createTabs(id: string, panel: HTMLElement, samples: readonly Sample[], onChoose: (language: string) => void) {
  const list = create('div', { class: 'tabs', role: 'tablist', 'aria-label': callWords.language, keydown: onKey })
  const buttons = samples.map(({ language, label }) => {
    const properties = { type: 'button', role: 'tab', id: `${id}-${language}`, 'aria-controls': `${id}-panel` }
    return create('button', { ...properties, 'data-value': language, click: () => onChoose(language) }, label)
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
