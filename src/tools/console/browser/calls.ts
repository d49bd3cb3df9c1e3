import { enableAuthorization } from './authorization.js'
import { enableCall } from './call.js'
import { find } from './elements.js'
import type { Listeners } from './listeners.js'
import type { Message } from './messages.js'
import type { PageData } from './page.js'
import { createLanguageChoice, enableSamples } from './samples.js'
import { send } from './send.js'
import { createSession } from './session.js'

/** The parts of one page that call its API. */
export interface PageCalls {
  /** Makes the form of an operation send its call, and its samples follow what is entered. */
  enableForm(form: HTMLFormElement): void
  /** Opens the dialog that asks for credentials. */
  authorize(message?: Message): void
  close(): void
  /** Ends everything that could change the page. */
  dispose(): void
}

export type Calls = ReturnType<typeof createCalls>

/** The part of the script that calls APIs, loaded when needed. Credentials are in its memory only. */
export function createCalls(root: string) {
  const session = createSession({ send, now: Date.now, suspensionUrl: new URL('suspended', root).href })
  const languages = createLanguageChoice()
  // The browser may keep the page for its Back button: it keeps no credentials.
  addEventListener('pagehide', () => session.forget())

  return {
    enablePage(page: PageData): PageCalls {
      const subscriptions: (() => void)[] = []
      const scope = <Source extends Pick<Listeners, 'subscribe'>>(source: Source): Source => ({
        ...source,
        subscribe(listener: () => void) {
          const end = source.subscribe(listener)
          subscriptions.push(end)
          return end
        },
      })
      const options = { page, session: scope(session), languages: scope(languages) }
      const { open, askAgain, close } = enableAuthorization({
        ...options,
        button: find(document, '.authorize', 'button'),
        state: find(document, '.state', 'span'),
      })
      return {
        enableForm(form) {
          enableCall(form, { ...options, askAgain, authorize: open })
          const samples = form.parentElement?.querySelector<HTMLElement>('[data-samples]')
          if (samples) enableSamples(form, samples, options)
        },
        authorize: open,
        close,
        dispose: () => subscriptions.forEach((end) => end()),
      }
    },
  }
}
