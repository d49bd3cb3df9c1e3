import { createAnswerView, renderMessage, readBody } from './answer.js'
import { create, createButton, describeBy, find, findAll } from './elements.js'
import { findControls, readForm, type Problem } from './form.js'
import { describeCallRefusal, describeState, describeTokenRefusal, readRetryAfter } from './messages.js'
import type { Message, Refusal } from './messages.js'
import { readList, type PageUse } from './page.js'
import { buildUrl, hasDotSegment, type CallInput } from '../../../shared/samples/request.js'
import { createRequest, send } from './send.js'
import { fillText } from '../../../shared/lib/fill-in.js'
import { parseObject } from '../../../shared/lib/own-members.js'
import { callWords } from './words.js'

interface CallOptions extends PageUse {
  readonly askAgain: (message: Message) => void
  readonly authorize: (message?: Message, then?: () => void) => void
}

const UNSENDABLE = /^(?:connect|trace|track)$/i

export function enableCall(form: HTMLFormElement, options: CallOptions): void {
  const { page, session, askAgain, authorize } = options
  const section = find(form, '.answer', 'section')
  const button = find(form, '.execute', 'button')
  if (!section || !button) return
  const view = createAnswerView(section)
  const label = button.textContent
  const cancelButton = createButton(callWords.cancel, () => running?.abort(), 'cancel button quiet')
  cancelButton.hidden = true
  button.after(' ', cancelButton)
  button.disabled = false
  let running: AbortController | undefined

  async function execute(): Promise<void> {
    // A second click came while the first call was under way.
    if (running) return
    const { input, problems } = readForm(form, page.resource)
    showProblems(form, problems)
    if (problems.length > 0) return view.hide()
    const controller = new AbortController()
    running = controller
    setBusy(true)
    view.say(callWords.sending)
    let question: Message | undefined
    try {
      question = await call(input, controller.signal)
    } catch (error) {
      view.say(controller.signal.aborted ? callWords.cancelled : (error as Error).message, true)
    }
    running = undefined
    setBusy(false)
    if (question) askAgain(question)
  }

  async function call(input: CallInput, signal: AbortSignal): Promise<Message | undefined> {
    const { api, support } = page
    if (UNSENDABLE.test(input.method)) throw new Error(fillText(callWords.unsendable, { method: input.method }))
    if (input.body && /^(?:GET|HEAD)$/.test(input.method))
      throw new Error(fillText(callWords.noBody, { method: input.method }))
    if (hasDotSegment(buildUrl(input))) throw new Error(callWords.dotSegment)
    const carried = form.dataset['security'] === 'none' ? {} : await session.carry(api)
    if (signal.aborted) throw new Error(callWords.cancelled)
    if ('refusal' in carried) {
      const { status = 0 } = carried.refusal
      const { text, contact = false } = describeTokenRefusal(carried.refusal)
      view.say(fillText(callWords.notSent, { reason: text }), true)
      if (status < 400 || status >= 429) return undefined
      session.drop(api)
      return { text: fillText(callWords.noToken, { reason: text }), contact }
    }
    const [url, init] = createRequest(input, carried.header)
    const start = performance.now()
    const response = await send(url, { ...init, signal })
    const body = await readBody(response, signal)
    const refusal = readRefusal(response, body.bytes)
    const needed = refusal.scopes ?? readList(form.dataset['scopes'])
    const granted = session.grantedScopes(api)
    const isRefused = session.noteAnswer(api, carried.header?.[1], { status: response.status, error: refusal.error })
    const message = describeCallRefusal({
      ...refusal,
      status: response.status,
      scheme: api.scheme,
      authorized: carried.header !== undefined,
      missingScopes: granted ? needed.filter((scope) => !granted.includes(scope)) : needed,
    })
    const advice = message && create('p', { class: 'notice advice' }, ...renderMessage(message, support))
    if (message?.authorize) advice?.append(' ', createAuthorizeButton())
    const milliseconds = performance.now() - start
    view.show({
      method: input.method,
      path: input.path,
      url: response.url || url,
      response,
      body,
      milliseconds,
      advice,
    })
    return isRefused ? describeRefusedCredential(api.scheme, response.status) : undefined
  }

  function createAuthorizeButton(): HTMLElement {
    const click = (): void => authorize(undefined, () => void execute())
    return createButton(callWords.authorizeAndSend, click, 'button')
  }

  /** The button gets `aria-disabled`: the attribute `disabled` would drop the focus. */
  function setBusy(isBusy: boolean): void {
    button!.setAttribute('aria-disabled', String(isBusy))
    button!.textContent = isBusy ? callWords.sending : label
    if (!isBusy && document.activeElement === cancelButton) button!.focus()
    cancelButton.hidden = !isBusy
    form.setAttribute('aria-busy', String(isBusy))
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void execute()
  })
  const reset = find(form, '.reset', 'button')
  reset?.removeAttribute('hidden')
  reset?.addEventListener('click', () => {
    running?.abort()
    form.reset()
    showProblems(form, [])
    view.hide()
    // The panel of the body and the samples follow the values.
    form.dispatchEvent(new Event('change', { bubbles: true }))
  })
  form.addEventListener('input', ({ target }) => {
    if (target instanceof Element && target.getAttribute('aria-invalid') === 'true') clearProblem(target)
  })
  enableBodyChoices(form)
  if (form.dataset['security'] === 'required') showNeed(button, options, () => void execute())
}

/** Until there are credentials, a button that authorizes first. Then narrow pages, whose header has no room for it, say which there are. */
function showNeed(button: HTMLElement, { page, session, signal, authorize }: CallOptions, execute: () => void): void {
  const send = (): void => {
    button.focus()
    execute()
  }
  const first = createButton(callWords.authorizeToSend, () => authorize(undefined, send), 'first button')
  const text = create('span', { class: 'state' })
  const change = createButton(callWords.change, () => authorize(undefined, () => button.focus()))
  const known = create('p', { class: 'known' }, text, ' ', change)
  const show = (): void => {
    const state = session.describe(page.api)
    text.textContent = describeState(state, session.read()?.key ?? '')
    text.dataset['state'] = state
    known.hidden = state === 'none'
    first.hidden = !known.hidden
    button.classList.toggle('quiet', known.hidden)
  }
  button.before(first, ' ')
  button.parentElement?.before(known)
  session.subscribe(show, signal)
  show()
}

function describeRefusedCredential(scheme: 'oauth2' | 'apiKey', status: number): Message {
  if (status === 403) return { text: callWords.refusedApplication, contact: true }
  return { text: scheme === 'oauth2' ? callWords.refusedToken : callWords.refusedKey }
}

function enableBodyChoices(form: HTMLFormElement): void {
  const mediaTypes = find(form, '[data-role="media-type"]', 'select')
  form.addEventListener('change', ({ target }) => {
    if (mediaTypes)
      for (const panel of findAll(form, '.body > [data-media]'))
        panel.hidden = panel.dataset['media'] !== mediaTypes.value
    if (!(target instanceof HTMLSelectElement) || target.dataset['role'] !== 'example') return
    const panel = target.closest<HTMLElement>('[data-media]') ?? form
    const [body] = findControls(panel, '[data-role="body"]')
    if (!body) return
    body.value = target.value
    body.dispatchEvent(new Event('input', { bubbles: true }))
  })
}

function showProblems(form: HTMLFormElement, problems: readonly Problem[]): void {
  for (const control of findAll(form, '[aria-invalid="true"]')) clearProblem(control)
  for (const { control, text } of problems) {
    const id = `${control.id}-problem`
    // The focus may be in the first field already; then only an alert is read.
    const role = control === problems[0]?.control ? 'alert' : undefined
    const box = control.closest('.select') ?? control
    box.after(create('p', { id, class: 'problem', role }, text))
    control.setAttribute('aria-invalid', 'true')
    describeBy(control, id, true)
  }
  problems[0]?.control.focus()
}

function clearProblem(control: Element): void {
  const id = `${control.id}-problem`
  document.getElementById(id)?.remove()
  control.removeAttribute('aria-invalid')
  describeBy(control, id, false)
}

const MAX_REFUSAL_BYTES = 10_000

/** The guard's answer to a refused call: its challenge, which another origin must expose (CORS), and its JSON. */
export function readRefusal(
  { status, headers }: Pick<Response, 'status' | 'headers'>,
  bytes: Uint8Array,
): Refusal & { readonly scopes?: string[] | undefined } {
  const challenge = headers.get('WWW-Authenticate') ?? ''
  const body =
    status < 400 || bytes.length > MAX_REFUSAL_BYTES ? undefined : parseObject(new TextDecoder().decode(bytes))
  return {
    status,
    error: readParameter(challenge, 'error') ?? readText(body?.['error']),
    description: readText(body?.['error_description']),
    scopes: readParameter(challenge, 'scope')?.split(' '),
    retryAfter: readRetryAfter(headers.get('Retry-After'), Date.now()),
  }
}

function readParameter(challenge: string, name: 'error' | 'scope'): string | undefined {
  return new RegExp(`\\b${name}="([^"]*)"`).exec(challenge)?.[1]
}

function readText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
