import { expect, it } from 'vitest'
import { listNamedSchemas } from '../../../../src/tools/console/export/schema-text.js'

it('lists every schema that something refers to, also beside members that are null', () => {
  const document = {
    components: {
      schemas: {
        Order: { properties: { item: { $ref: '#/components/schemas/Item' } }, 'x-owner': null },
        Item: { properties: { order: { $ref: '#/components/schemas/Order' } } },
        Unused: {},
        Data: {},
      },
    },
    paths: {
      '/a': { post: { requestBody: { $ref: '#/components/schemas/Order' }, 'x-note': null } },
      '/b': { get: { example: { $ref: '#/components/schemas/Data' }, 'x-note': null } },
    },
  }
  expect([...listNamedSchemas(document, document.paths).keys()]).toEqual(['Item', 'Order'])
})
