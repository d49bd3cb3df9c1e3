import { readFileSync } from 'node:fs'
import express from 'express'
import { expect, it } from 'vitest'
import { developerConsole } from '../../../../src/tools/console/index.js'
import { openPlatform } from '../../../support/platform.js'
import { request } from '../../../support/request.js'

/** The page of the first operation, and the index, of a small document whose API has no title. */
async function readPages(name: string, key: string): Promise<{ page: string; index: string }> {
  const file = new URL(`../documents/small/${name}.json`, import.meta.url)
  const document = JSON.parse(readFileSync(file, 'utf8')) as object
  const { auth } = openPlatform({ apis: { d0: { scheme: 'oauth2', scopes: { r: 'Read', w: 'Write' } } } })
  const app = express().use('/d', developerConsole(auth, { documents: { d0: document } }))
  const page = await request(app).get(`/d/apis/d0/operations/${key}`).expect(200)
  const index = await request(app).get('/d/').expect(200)
  return { page: page.text.replaceAll(/\s+/g, ' '), index: index.text }
}

it('an operation that works without a credential names the scope that a token needs', async () => {
  const { page } = await readPages('both-schemes', 'b')
  expect(page).toContain('Can be called without credential, or with the access token of an application.')
  expect(page).toMatch(/Scope\s*<code class="chip">r<\/code>/)
})

it('a variable of a path that nothing describes has a field and a word in samples', async () => {
  const { page } = await readPages('undeclared-path', 'g')
  expect(page).toMatch(/data-in="path" data-name="shed"[^>]* required/)
  expect(page).toContain('/sheds/SHED/doors/DOOR')
})

it('an API without a title has that of its document', async () => {
  const { page, index } = await readPages('deep', 'save')
  expect(page).toMatch(/<h1>.*>T<\/a><\/h1>/)
  expect(index).toContain('>T<')
})
