import { createCopyButton } from './copy.js'
import { create } from './elements.js'
import { importPrivateKey, makeKeyPair } from './private-key.js'
import type { Credentials } from './token-request.js'
import { callWords } from './words.js'

/** A private key that is pasted or made here, in place of the secret. It stays in the page's memory only. */
export function createPrivateKeyField(isOpen: boolean) {
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
