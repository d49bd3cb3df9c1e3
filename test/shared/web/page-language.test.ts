import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { expect, it } from 'vitest'
import { choosePageLanguage } from '../../../src/shared/web/page-language.js'

function choose(header: string | undefined, stored?: 'en' | 'de' | 'fr' | 'es') {
  const req = new IncomingMessage(new Socket())
  if (header !== undefined) req.headers['accept-language'] = header
  const res = new ServerResponse(req)
  res.setHeader('Vary', 'Origin')
  return [choosePageLanguage(req, res, stored), res.getHeader('Vary')]
}

it.each([
  ['de-AT, de;q=0.9, en;q=0.5', 'de'],
  ['it, pt;q=0.9', 'en'],
  ['en;q=0.1, ES-419', 'es'],
  ['fr;q=0, en', 'en'],
  [undefined, 'en'],
])('a page for an unknown reader who sends Accept-Language %j has the language %s, and varies', (header, language) => {
  expect(choose(header)).toEqual([language, ['Origin', 'Accept-Language']])
})

it('a page about an application has its language, whatever the browser prefers, and does not vary', () => {
  expect(choose('de', 'fr')).toEqual(['fr', 'Origin'])
})
