import { createCredentialsForm } from './credentials-form.js'
import { create, createButton, find } from './elements.js'
import { describeCalls, describeState, describeTokenRefusal, type Message } from './messages.js'
import type { PageUse } from './page.js'
import type { Credentials } from './session.js'
import { fillText } from '../../../shared/lib/fill-in.js'
import { callWords } from './words.js'

export function enableAuthorization({ page, session, signal }: PageUse) {
  const button = find(document, '.authorize', 'button')
  const state = find(document, '.state', 'span')
  // A native dialog: it keeps the focus, returns it, and closes with Escape.
  const dialog = create('dialog', { class: 'credentials', 'aria-labelledby': 'credentials-title' })
  let pending: AbortController | undefined
  let next: (() => void) | undefined
  const describe = (): string => {
    const known = session.describe(page.api)
    if (known === 'none' && page.api.proof === 'only') return callWords.needProof
    return describeCalls(known, page.api.scheme)
  }

  function open(message?: Message, then?: () => void): void {
    next = then
    document.body.append(dialog)
    // The dialog needs content: without any, showModal() would focus the dialog itself.
    const form = showForm(message)
    closeMenu()
    if (!dialog.open) dialog.showModal()
    form.focus()
  }

  function show(...content: readonly Node[]): void {
    dialog.replaceChildren(create('h2', { id: 'credentials-title' }, callWords.authorize), ...content)
  }

  function showForm(message?: Message) {
    const form = createCredentialsForm({ page, session, message, onSubmit, onForget, onClose: close })
    show(create('p', { class: 'note' }, describe()), form.element)
    return form
  }

  function showAuthorized(): void {
    const closeButton = createButton(callWords.close, close, 'button')
    const forgetButton = createButton(callWords.forget, onForget)
    show(create('p', { role: 'status' }, describe()), create('p', { class: 'choice' }, closeButton, ' ', forgetButton))
    // The button that was pressed is gone; without this, the focus would fall to the body.
    closeButton.focus()
  }

  async function onSubmit(credentials: Credentials): Promise<Message | undefined> {
    const controller = new AbortController()
    pending = controller
    const refusal = await session.authorize(page.api, credentials, controller.signal)
    if (controller.signal.aborted) return undefined
    if (refusal) return describeTokenRefusal(refusal)
    const then = next
    if (then) close()
    else showAuthorized()
    then?.()
    return undefined
  }

  function onForget(): void {
    session.forget()
    showForm().focus()
  }

  function close(): void {
    if (dialog.open) dialog.close()
  }

  // Closing a busy dialog cancels what it waits for.
  dialog.addEventListener('close', () => {
    pending?.abort()
    dialog.remove()
  })
  function showState(): void {
    const known = session.describe(page.api)
    if (state) {
      state.textContent = describeState(known, session.read()?.key ?? '')
      state.dataset['state'] = known
    }
    // The name of the API, which is only announced, stays behind it.
    const label = button?.firstChild
    if (label) label.textContent = known === 'none' ? callWords.authorize : callWords.change
  }

  session.subscribe(showState, signal)
  showState()
  return {
    open,
    // Where only the operator can help, the same credentials would be refused again.
    askAgain: (message: Message): void =>
      open(message.contact ? message : { text: fillText(callWords.again, { reason: message.text }) }),
    close,
  }
}

/** On a phone the button is in the header's menu, which would cover the answer. The dialog returns the focus to what had it. */
function closeMenu(): void {
  const menu = document.querySelector<HTMLDetailsElement>('header .more')
  if (!menu?.open) return
  menu.open = false
  menu.querySelector('summary')?.focus()
}
