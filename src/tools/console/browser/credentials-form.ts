import { renderMessage } from './answer.js'
import { isCompleteKey } from './checksum.js'
import { create, createButton, describeBy } from './elements.js'
import type { Message } from './messages.js'
import type { PageData } from './page.js'
import type { Credentials, Session } from './session.js'
import { callWords } from './words.js'
import { createCopyButton } from './copy.js'
import { importPrivateKey, makeKeyPair } from './private-key.js'

interface CredentialsFormOptions {
  readonly page: PageData
  readonly session: Session
  readonly message?: Message | undefined
  readonly onSubmit: (credentials: Credentials) => Promise<Message | undefined>
  readonly onForget: () => void
  readonly onClose: () => void
}

export function createCredentialsForm({ page, session, message, onSubmit, onForget, onClose }: CredentialsFormOptions) {
  const { api, needsSecret, support } = page
  const isOAuth = api.scheme === 'oauth2'
  const problem = create('div', { role: 'alert' })
  const key = createField('key', callWords.key, isOAuth ? 'client_id' : api.keyHeader)
  if (isOAuth) key.element.append(create('span', { class: 'hint', id: 'credentials-hint' }, callWords.idInstead))
  describeBy(key.input, 'credentials-hint', isOAuth)
  const secret = createField('secret', callWords.secret, isOAuth ? 'client_secret' : callWords.forTokens, {
    type: 'password',
    required: isOAuth && api.proof === undefined,
  })
  // Browsers sign on https and localhost only.
  const proof = api.proof !== undefined && isSecureContext ? createPrivateKeyField(api.proof === 'only') : undefined
  key.input.value = session.lastKey()
  const submit = create('button', { class: 'button' }, callWords.authorize)
  const forget = createButton(callWords.forget, onForget)
  const element = create(
    'form',
    { novalidate: true, submit: (event) => void check(event) },
    key.element,
    needsSecret && api.proof !== 'only' && secret.element,
    proof?.element,
    problem,
    ...renderNotes(page),
    create(
      'p',
      { class: 'choice' },
      submit,
      ' ',
      createButton(callWords.cancel, onClose),
      session.hasCredentials() && ' ',
      session.hasCredentials() && forget,
    ),
  )
  let isBusy = false

  async function check(event: Event): Promise<void> {
    event.preventDefault()
    if (isBusy) return
    const credentials = { key: key.input.value.trim(), secret: secret.input.value.trim() }
    const proves = proof !== undefined && !proof.isEmpty()
    const wrong = findWrongField(credentials, proves)
    showProblem(wrong?.message, wrong?.field)
    if (wrong) return wrong.field.focus()
    const sign = proves ? await proof.read() : undefined
    if (proves && !sign) {
      showProblem({ text: callWords.wrongPrivateKey }, proof.input)
      return proof.input.focus()
    }
    setBusy(true)
    const refusal = await onSubmit({ ...credentials, sign })
    setBusy(false)
    if (refusal) showProblem(refusal, key.input)
  }

  function findWrongField({ key: givenKey, secret: givenSecret }: Credentials, proves: boolean) {
    const wrong = (field: HTMLElement, text: string) => ({ field, message: { text } })
    if (!isVisibleAscii(givenKey)) return wrong(key.input, givenKey === '' ? callWords.enterKey : callWords.unusable)
    if (!isOAuth && !isCompleteKey(givenKey)) return wrong(key.input, callWords.incompleteKey)
    if (isOAuth && !proves && api.proof === 'only' && proof) return wrong(proof.input, callWords.enterPrivateKey)
    if (isOAuth && !proves && givenSecret === '') return wrong(secret.input, callWords.enterSecret)
    if (givenSecret !== '' && !isVisibleAscii(givenSecret)) return wrong(secret.input, callWords.unusable)
    return undefined
  }

  function showProblem(text: Message | undefined, field?: HTMLElement): void {
    for (const { input } of [key, secret, ...(proof ? [proof] : [])]) {
      input.toggleAttribute('aria-invalid', false)
      describeBy(input, 'credentials-problem', false)
    }
    const paragraph =
      text && create('p', { class: 'problem', id: 'credentials-problem' }, ...renderMessage(text, support))
    problem.replaceChildren(...(paragraph ? [paragraph] : []))
    if (!text || !field) return
    field.setAttribute('aria-invalid', 'true')
    describeBy(field, 'credentials-problem', true)
  }

  /** Sets the button's state by `aria-disabled`: the attribute `disabled` would drop the focus. */
  function setBusy(next: boolean): void {
    isBusy = next
    submit.setAttribute('aria-disabled', String(next))
    submit.textContent = next ? callWords.authorizing : callWords.authorize
  }

  showProblem(message)
  return {
    element,
    focus(): void {
      if (key.input.value !== '' && api.proof === 'only') proof?.input.focus()
      else if (key.input.value !== '' && needsSecret) secret.input.focus()
      else key.input.focus()
    },
  }
}

/** Characters that HTTP Basic can carry. btoa() throws for characters above U+00FF. */
function isVisibleAscii(text: string): boolean {
  return /^[!-~]+$/.test(text)
}

function createField(name: string, label: string, parameter: string, { type = 'text', required = true } = {}) {
  const id = `credentials-${name}`
  const quiet = { autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false' }
  const input = create('input', { id, name, type, required, ...quiet })
  const text = create('label', { for: id }, label, ' ', create('code', {}, parameter))
  return { input, element: create('p', { class: 'field' }, text, input) }
}

function renderNotes({ api, needsSecret, hasEmails, register }: PageData): Node[] {
  const { bothByEmail, bothFromOperator, keyByEmail, keyFromOperator, bothUsed, keyUsed, noneYet } = callWords
  const isBoth = needsSecret && api.proof !== 'only'
  const [byEmail, fromOperator] = isBoth ? [bothByEmail, bothFromOperator] : [keyByEmail, keyFromOperator]
  const link = register !== undefined && create('a', { href: register }, callWords.register)
  return [
    create('p', { class: 'note' }, hasEmails ? byEmail : fromOperator, ' ', isBoth ? bothUsed : keyUsed),
    ...(link ? [create('p', { class: 'note' }, noneYet, ' ', link)] : []),
  ]
}

/** A private key that is pasted or made here, in place of the secret. It stays in the page's memory only. */
function createPrivateKeyField(isOpen: boolean) {
  const quiet = { autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false' }
  const input = create('textarea', { id: 'credentials-private', rows: '3', ...quiet })
  const made = create('div', { role: 'status' })
  let madeSign: Credentials['sign']
  const element = create(
    'details',
    { open: isOpen },
    create('summary', {}, callWords.proveKey),
    create('p', { class: 'field' }, create('label', { for: input.id }, callWords.privateKey), input),
    create('p', { class: 'note' }, callWords.privateKeyHint),
    create(
      'p',
      {},
      createButton(callWords.makeKey, () => void make()),
    ),
    made,
  )

  async function make(): Promise<void> {
    const { sign, publicKey } = await makeKeyPair()
    madeSign = sign
    input.value = ''
    made.replaceChildren(
      create('p', { class: 'note' }, callWords.madeKey),
      create('p', {}, create('code', {}, publicKey)),
      create(
        'p',
        {},
        createCopyButton(() => publicKey, callWords.copyPublicKey),
      ),
    )
  }

  return {
    element,
    input,
    isEmpty: (): boolean => input.value.trim() === '' && madeSign === undefined,
    /** What signs with the key; undefined if it is none. The text of a key that was imported is forgotten at once. */
    async read(): Promise<Credentials['sign']> {
      if (input.value.trim() === '') return madeSign
      const sign = await importPrivateKey(input.value)
      if (!sign) return undefined
      madeSign = sign
      input.value = ''
      return sign
    },
  }
}
