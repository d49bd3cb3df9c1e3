import { enableAuthorization } from './authorization.js'
import { enableCall } from './call.js'
import type { PageData } from './page.js'
import { createLanguageChoice, enableSamples } from './samples.js'
import { send } from './send.js'
import { createSession } from './session.js'

export type Calls = ReturnType<typeof createCalls>
export type PageCalls = ReturnType<Calls['enablePage']>

/** The part of the script that calls APIs, loaded when needed. Credentials are in its memory only. */
export function createCalls(root: string) {
  const session = createSession({ send, now: Date.now, suspensionUrl: new URL('suspended', root).href })
  const languages = createLanguageChoice()
  // The browser may keep the page for its Back button: it keeps no credentials.
  addEventListener('pagehide', () => session.forget())

  return {
    enablePage(page: PageData) {
      const left = new AbortController()
      const options = { page, session, languages, signal: left.signal }
      const { open, askAgain, close } = enableAuthorization(options)
      return {
        enableForm(form: HTMLFormElement): void {
          enableCall(form, { ...options, askAgain, authorize: open })
          const samples = form.parentElement?.querySelector<HTMLElement>('[data-samples]')
          if (samples) enableSamples(form, samples, options)
        },
        authorize: open,
        close,
        dispose: () => left.abort(),
      }
    },
  }
}
