import { enableAuthorization } from './authorization.js'
import { enableCall } from './call.js'
import { enableCopyButtons } from './copy.js'
import { create, find } from './elements.js'
import type { Listeners } from './listeners.js'
import { enableNavigation } from './navigation.js'
import { findMain, readPage } from './page.js'
import { createLanguageChoice, enableSamples, type LanguageChoice } from './samples.js'
import { enableSearch } from './search.js'
import { send } from './send.js'
import { createSession, type Session } from './session.js'
import { enableSheet } from './sidebar.js'
import { enableSoftNavigation, type View } from './soft-navigation.js'

// The script of references. Key, secret and access tokens are kept in the memory of this script only, and end with the page.

const script = document.currentScript
if (script instanceof HTMLScriptElement && script.src !== '') start(new URL('../', script.src).href)

function start(root: string): void {
  document.documentElement.classList.add('scripted')
  const session = createSession({ send, now: Date.now, suspensionUrl: new URL('suspended', root).href })
  const languages = createLanguageChoice()
  const pages = enableSoftNavigation({ root, createView: () => createView(session, languages) })
  pages.view().goToHash()
  // Browsers scroll to the element of the address when a page has loaded, and drop the focus.
  addEventListener('load', () => {
    if (document.activeElement === document.body) pages.view().goToHash()
  })

  document.addEventListener('keydown', (event) => {
    const isCombined = event.ctrlKey || event.metaKey || event.altKey
    if (event.key !== '/' || isCombined || isTyping(event.target) || document.querySelector('dialog.credentials[open]'))
      return
    event.preventDefault()
    pages.view().focusSearch()
  })
  // The browser may keep the page for its Back button: it keeps no credentials, and is never shown again as it was.
  addEventListener('pagehide', () => session.forget())
  addEventListener('pageshow', ({ persisted }) => persisted && location.reload())
}

/** Enables the page that is shown now. */
function createView(session: Session, languages: LanguageChoice): View {
  enableCopyButtons()
  const main = findMain()
  if (!main) return { goToHash: () => false, focusSearch() {}, close() {}, dispose() {} }

  const subscriptions: (() => void)[] = []
  const scope = <Source extends Pick<Listeners, 'subscribe'>>(source: Source): Source => ({
    ...source,
    subscribe(listener: () => void) {
      const end = source.subscribe(listener)
      subscriptions.push(end)
      return end
    },
  })
  const page = readPage(main)
  const options = { page, session: scope(session), languages: scope(languages) }
  const button = find(document, '.authorize', 'button') ?? create('button')
  const state = find(document, '.state', 'p') ?? create('p')
  const { askAgain, close } = enableAuthorization({ ...options, button, state })

  const sidebar = document.getElementById('sidebar') ?? undefined
  const menu = find(document, '.menu', 'button')
  const sheet = sidebar && menu && enableSheet(sidebar, menu)
  const search = sidebar && enableSearch({ sidebar, words: page.search })
  sidebar?.addEventListener('click', ({ target }) => {
    if (target instanceof Element && target.closest('a')) sheet?.close()
  })

  function onForm(form: HTMLFormElement): void {
    enableCall(form, { ...options, askAgain })
    const samples = form.querySelector<HTMLElement>('[data-samples]')
    if (samples) enableSamples(form, samples, options)
  }
  const { goToHash } = enableNavigation({ main, sidebar, onForm })

  return {
    goToHash,
    focusSearch() {
      sheet?.open()
      search?.focus()
    },
    close() {
      close()
      sheet?.close()
    },
    dispose: () => subscriptions.forEach((end) => end()),
  }
}

/** Whether a key press belongs to a field. */
function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches('input, select, textarea'))
}
