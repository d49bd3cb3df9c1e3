import { create } from './elements.js'
import { pageWords } from './words.js'

const LABEL_DURATION_MS = 2000

export function createCopyButton(readText: () => string, name: string): HTMLButtonElement {
  const button = create('button', { type: 'button', class: 'copy', 'aria-label': name }, pageWords.copy)
  button.addEventListener('click', () => void copy(button, readText()))
  return button
}

/** Makes the server's copy buttons copy the code beside them, on each page that is shown. Without this script they are hidden. */
export function enableCopyButtons(): void {
  for (const button of document.querySelectorAll<HTMLElement>('.copyable .copy')) {
    if (button.dataset['enabled'] !== undefined) continue
    button.dataset['enabled'] = ''
    button.hidden = false
    button.addEventListener('click', () => {
      void copy(button, button.closest('.copyable')?.querySelector('code')?.textContent ?? '')
    })
  }
}

async function copy(button: HTMLElement, text: string): Promise<void> {
  const isCopied = await write(text)
  button.textContent = isCopied ? pageWords.copied : pageWords.notCopied
  announce(button.textContent)
  setTimeout(() => {
    button.textContent = pageWords.copy
    announce('')
  }, LABEL_DURATION_MS)
}

async function write(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return writeWithoutSecureContext(text)
  }
}

/** Copies without navigator.clipboard, which does not exist on http, except on localhost. */
function writeWithoutSecureContext(text: string): boolean {
  const focused = document.activeElement
  const field = create('textarea', { class: 'unseen', 'aria-hidden': 'true' })
  field.value = text
  // The field stands beside the button: nothing outside an open dialog can be selected.
  ;(focused?.closest('dialog') ?? document.body).append(field)
  field.select()
  const isCopied = document.execCommand('copy')
  field.remove()
  if (focused instanceof HTMLElement) focused.focus()
  return isCopied
}

function announce(text: string): void {
  let region = document.getElementById('copied')
  if (!region) document.body.append((region = create('p', { id: 'copied', class: 'unseen', role: 'status' })))
  region.textContent = text
}
