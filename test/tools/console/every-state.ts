import { readFile } from 'node:fs/promises'
import express from 'express'
import { DOCUMENTS, type openShop } from './shop.js'

/** A PNG of one pixel. */
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** The catalogue's document, with operations that have what the shop's lack: an image, an upload, enums, examples, a deprecation. */
export async function readCatalogWithEveryState(): Promise<object> {
  const document = JSON.parse(await readFile(DOCUMENTS.catalog, 'utf8')) as { paths: object }
  const responses = { default: { description: 'An answer.' } }
  const file = { type: 'string', format: 'binary' }
  const properties = { file, title: { type: 'string', example: 'Tea' } }
  const upload = { 'multipart/form-data': { schema: { type: 'object', required: ['file'], properties } } }
  const examples = {
    green: { summary: 'Green tea', value: { name: 'Sencha', kind: 'green' } },
    black: { summary: 'Black tea', value: { name: 'Assam', kind: 'black' } },
  }
  const schema = {
    type: 'object',
    required: ['name'],
    properties: { name: { type: 'string' }, kind: { type: 'string' } },
  }
  const parameters = [
    { name: 'kind', in: 'query', required: true, schema: { type: 'string', enum: ['green', 'black'] } },
    { name: 'sizes', in: 'query', schema: { type: 'array', items: { type: 'string', enum: ['50 g', '100 g'] } } },
    { name: 'limit', in: 'query', description: 'How many.', schema: { type: 'integer', minimum: 1 } },
  ]
  const image = { 200: { description: 'A picture.', content: { 'image/png': { schema: file } } } }
  const tags = ['Every state']
  return {
    ...document,
    paths: {
      ...document.paths,
      '/picture': {
        get: { operationId: 'readPicture', tags, responses: image },
        post: { operationId: 'addPicture', tags, requestBody: { required: true, content: upload }, responses },
      },
      '/kinds/{kind}': {
        get: { operationId: 'readKind', tags, parameters: [{ ...parameters[0], in: 'path' }], responses },
      },
      '/teas': {
        get: { operationId: 'findTeas', summary: 'Find teas', tags, parameters, responses },
        post: {
          operationId: 'addTea',
          tags,
          requestBody: { content: { 'application/json': { schema, examples } } },
          responses,
        },
        delete: { operationId: 'removeTeas', summary: 'Remove all', tags, deprecated: true, responses },
      },
    },
  }
}

/** The routes of these operations: they answer with a picture, or with the request. */
export function serveEveryState({ app, auth }: Awaited<ReturnType<typeof openShop>>): void {
  app.use(['/catalog/picture', '/catalog/teas'], auth.requireApiKey('catalog'), express.text({ type: () => true }))
  app.get('/catalog/picture', (_req, res) => void res.type('png').send(PNG))
  app.all(
    ['/catalog/picture', '/catalog/teas'],
    (req, res) => void res.json({ url: req.url, body: req.body as unknown }),
  )
}
