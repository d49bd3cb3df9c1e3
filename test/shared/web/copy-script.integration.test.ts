import { JSDOM } from 'jsdom'
import { expect, it } from 'vitest'
import { COPY_SCRIPT } from '../../../src/shared/web/copy-script.js'

it.each([
  ['the clipboard takes the text', 'takes', false, 'Copied'],
  ['the clipboard refuses, and the page copies what it selects', 'refuses', true, 'Copied'],
  ['there is no clipboard, as without a secure context', 'none', true, 'Copied'],
  ['nothing copies', 'refuses', false, 'Not copied'],
])('a copy button says what it did where %s', async (_, clipboard, copies, expected) => {
  const { window } = new JSDOM(
    `<figure class="copyable"><code>secret_1</code><button class="copy" hidden>Copy</button></figure>`,
    { runScripts: 'outside-only' },
  )
  const { document } = window
  const written: string[] = []
  const writeText = (text: string) =>
    clipboard === 'takes' ? Promise.resolve(void written.push(text)) : Promise.reject(new Error('refused'))
  if (clipboard !== 'none') Object.defineProperty(window.navigator, 'clipboard', { value: { writeText } })
  document.execCommand = () => copies && written.push(window.getSelection()!.toString()) > 0
  window.eval(COPY_SCRIPT)
  const button = document.querySelector('button')!
  expect(button.hidden).toBe(false)
  button.click()
  await expect.poll(() => button.textContent).toBe(expected)
  expect(document.querySelector('[role=status]')!.textContent).toBe(expected)
  expect(written).toEqual(expected === 'Copied' ? ['secret_1'] : [])
})
