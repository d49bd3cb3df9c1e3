import { describe, expect, it } from 'vitest'
import { createBrunoCollection } from '../../../src/console/export/bruno.js'
import { createPostmanCollection } from '../../../src/console/export/postman.js'
import { asObject } from '../../../src/openapi/document.js'
import { TEAS } from '../teas.js'

describe('a text of the document stands for no credential', () => {
  const texts = ['{{clientSecret}}', '{{{ apiKey }}}', '{{accessToken}}', '{{process.env.HOME}}', '{{vault:aws}}']
  const place = (name: string) => ({ in: name, required: true })
  const document = asObject({
    paths: {
      '/items/{clientSecret}.json': {
        post: {
          parameters: texts.flatMap((text) => [
            { name: text, example: text, ...place('query') },
            { name: 'X-A', example: text, ...place('header') },
          ]),
          requestBody: { content: { 'application/json': { example: { text: 'Dear {{name}}', texts } } } },
        },
      },
    },
  })

  it.each([
    ['Postman', JSON.stringify(createPostmanCollection(TEAS, document)['item'])],
    ['Bruno', createBrunoCollection(TEAS, document).at(-1)!.text],
  ])('in a collection for %s', (_name, requests) => {
    expect(requests).toContain('{{baseUrl}}/items/{clientSecret}.json?')
    expect(requests).toContain('{vault:aws}')
    expect(requests).toContain('Dear {{name}}')
    expect(requests).not.toMatch(/\{\{\s*(?!baseUrl|name)/)
  })
})
