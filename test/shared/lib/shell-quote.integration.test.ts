import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { shellQuote } from '../../../src/shared/lib/shell-quote.js'

it.each([
  ['app_123', 'app_123'],
  ['https://api.example.com/v1', 'https://api.example.com/v1'],
  ['', `''`],
  ['two words', `'two words'`],
  [`it's`, `'it'\\''s'`],
  ['$(reboot)', `'$(reboot)'`],
  ['~', `'~'`],
  ['./~x', './~x'],
])('quotes %j as %s', (word, quoted) => {
  expect(shellQuote(word)).toBe(quoted)
})

it.runIf(process.platform !== 'win32')('a shell reads back every word as it was', () => {
  const words = [`it's`, '$(echo x)', '`echo x`', 'a\nb', '*', '~', '-n', '"', '\\', 'a;b|c&d', '']
  const printed = execFileSync('sh', ['-c', `printf '%s\\0' ${words.map(shellQuote).join(' ')}`], { encoding: 'utf8' })
  expect(printed.split('\0').slice(0, -1)).toEqual(words)
})
