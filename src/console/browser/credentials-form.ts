import { renderMessage } from './answer.js'
import { isCompleteKey } from './checksum.js'
import { create } from './elements.js'
import { INCOMPLETE_KEY, type Message } from './messages.js'
import type { PageData } from './page.js'
import type { Session } from './session.js'
import type { Credentials } from './token-request.js'

interface CredentialsFormOptions {
  readonly page: PageData
  readonly session: Session
  /** The reason why the reader is asked. */
  readonly message?: Message | undefined
  /** Resolves the reason why the credentials were refused. */
  readonly onSubmit: (credentials: Credentials) => Promise<Message | undefined>
  readonly onForget: () => void
  readonly onClose: () => void
}

/** The form of the dialog: the key, and the secret if an API of the console needs one. */
export function createCredentialsForm({ page, session, message, onSubmit, onForget, onClose }: CredentialsFormOptions) {
  const { api, needsSecret, support } = page
  const isOAuth = api.scheme === 'oauth2'
  const problem = create('div', { role: 'alert' })
  const key = createField('key', 'Key', isOAuth ? 'client_id' : api.keyHeader)
  const secret = createField('secret', 'Secret', isOAuth ? 'client_secret' : 'for APIs with access tokens', {
    type: 'password',
    required: isOAuth,
  })
  key.input.value = session.lastKey()
  const submit = create('button', { class: 'button' }, 'Authorize')
  const forget = create('button', { type: 'button', class: 'button quiet', click: onForget }, 'Forget the credentials')
  const element = create(
    'form',
    { novalidate: true, submit: (event) => void check(event) },
    key.element,
    needsSecret && secret.element,
    problem,
    create('p', { class: 'note' }, ...renderNote(page)),
    create(
      'p',
      { class: 'choice' },
      submit,
      ' ',
      create('button', { type: 'button', class: 'button quiet', click: onClose }, 'Close'),
      session.hasCredentials() && ' ',
      session.hasCredentials() && forget,
    ),
  )
  let isBusy = false

  async function check(event: Event): Promise<void> {
    event.preventDefault()
    if (isBusy) return
    const credentials = { key: key.input.value.trim(), secret: secret.input.value.trim() }
    const wrong = findWrongField(credentials)
    showProblem(wrong?.message, wrong?.field)
    if (wrong) return wrong.field.focus()
    setBusy(true)
    const refusal = await onSubmit(credentials)
    setBusy(false)
    if (refusal) showProblem(refusal, key.input)
  }

  function findWrongField({ key: givenKey, secret: givenSecret }: Credentials) {
    const wrong = (field: HTMLInputElement, text: string) => ({ field, message: { text } })
    if (!isVisibleAscii(givenKey)) return wrong(key.input, givenKey === '' ? 'Enter the key.' : UNUSABLE)
    if (!isOAuth && !isCompleteKey(givenKey)) return wrong(key.input, INCOMPLETE_KEY)
    if (isOAuth && givenSecret === '') return wrong(secret.input, 'Enter the secret.')
    if (givenSecret !== '' && !isVisibleAscii(givenSecret)) return wrong(secret.input, UNUSABLE)
    return undefined
  }

  function showProblem(text: Message | undefined, field?: HTMLElement): void {
    for (const { input } of [key, secret]) {
      input.toggleAttribute('aria-invalid', false)
      input.removeAttribute('aria-describedby')
    }
    const paragraph =
      text && create('p', { class: 'problem', id: 'credentials-problem' }, ...renderMessage(text, support))
    problem.replaceChildren(...(paragraph ? [paragraph] : []))
    if (!text || !field) return
    field.setAttribute('aria-invalid', 'true')
    field.setAttribute('aria-describedby', 'credentials-problem')
  }

  /** Sets the button's state by `aria-disabled`: the attribute `disabled` would drop the focus. */
  function setBusy(next: boolean): void {
    isBusy = next
    submit.setAttribute('aria-disabled', String(next))
    submit.textContent = next ? 'Authorizing…' : 'Authorize'
  }

  showProblem(message)
  return {
    element,
    /** The first field that is empty. */
    focus(): void {
      if (key.input.value !== '' && needsSecret) secret.input.focus()
      else key.input.focus()
    },
  }
}

const UNUSABLE = 'There are characters that cannot be part of it. Copy it again, without spaces.'

/** Characters that HTTP Basic can carry. btoa() throws for characters above U+00FF. */
function isVisibleAscii(text: string): boolean {
  return /^[!-~]+$/.test(text)
}

interface FieldOptions {
  readonly type?: string
  readonly required?: boolean
}

function createField(
  name: string,
  label: string,
  parameter: string,
  { type = 'text', required = true }: FieldOptions = {},
) {
  const id = `credentials-${name}`
  const quiet = { autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false' }
  const input = create('input', { id, name, type, required, ...quiet })
  const text = create('label', { for: id }, label, ' ', create('code', {}, parameter))
  return { input, element: create('p', { class: 'field' }, text, input) }
}

function renderNote({ api, needsSecret, credentialSource, register }: PageData): (Node | string)[] {
  const source = credentialSource === '' ? '' : `${needsSecret ? 'Both' : 'It'} ${credentialSource}. `
  const id = api.scheme === 'oauth2' ? 'Instead of the key you can use the id of your application. ' : ''
  const text = `${source}${id}They are used for all APIs here, and forgotten when you leave the console. `
  return [
    needsSecret ? text : text.replace('They are', 'It is'),
    ...(register === undefined ? [] : [create('a', { href: register }, 'Register')]),
  ]
}
