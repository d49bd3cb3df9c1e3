import { renderMessage } from './answer.js'
import { isCompleteKey } from './checksum.js'
import { create } from './elements.js'
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
  const secret = createField('secret', callWords.secret, isOAuth ? 'client_secret' : callWords.forTokens, {
    type: 'password',
    required: isOAuth && api.proof === undefined,
  })
  // Browsers sign on https and localhost only.
  const proof = api.proof !== undefined && isSecureContext ? createPrivateKeyField(api.proof === 'only') : undefined
  key.input.value = session.lastKey()
  const submit = create('button', { class: 'button' }, callWords.authorize)
  const forget = create('button', { type: 'button', class: 'button quiet', click: onForget }, callWords.forget)
  const element = create(
    'form',
    { novalidate: true, submit: (event) => void check(event) },
    key.element,
    needsSecret && api.proof !== 'only' && secret.element,
    proof?.element,
    problem,
    create('p', { class: 'note' }, ...renderNote(page)),
    create(
      'p',
      { class: 'choice' },
      submit,
      ' ',
      create('button', { type: 'button', class: 'button quiet', click: onClose }, callWords.close),
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

function renderNote({ api, needsSecret, hasEmails, register }: PageData): (Node | string)[] {
  const { bothByEmail, bothFromOperator, keyByEmail, keyFromOperator, idInstead, bothUsed, keyUsed } = callWords
  const isBoth = needsSecret && api.proof !== 'only'
  const [byEmail, fromOperator] = isBoth ? [bothByEmail, bothFromOperator] : [keyByEmail, keyFromOperator]
  const id = api.scheme === 'oauth2' ? [idInstead] : []
  const sentences = [hasEmails ? byEmail : fromOperator, ...id, isBoth ? bothUsed : keyUsed]
  return [
    sentences.join(' '),
    ...(register === undefined ? [] : [' ', create('a', { href: register }, callWords.register)]),
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
      create('button', { type: 'button', class: 'button quiet', click: () => void make() }, callWords.makeKey),
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
