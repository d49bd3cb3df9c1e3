import type { JsonObject } from '../../../../src/shared/openapi/document.js'

/** A document that has, once each, what the reference can show. */
export const RICH_DOCUMENT = {
  openapi: '3.1.0',
  info: {
    title: 'Teas',
    version: '2.3.4',
    description: 'All *teas*.',
    termsOfService: 'https://example.com/terms',
    contact: { name: 'Tea team', url: 'https://example.com/contact', email: 'tea@example.com' },
    license: { name: 'MIT', identifier: 'MIT' },
  },
  externalDocs: { url: 'https://example.com/docs', description: 'Handbook' },
  tags: [{ name: 'teas', description: 'What is **brewed**.', externalDocs: { url: 'https://example.com/teas' } }],
  paths: {
    '/teas/{id}': {
      parameters: [{ $ref: '#/components/parameters/Id' }],
      put: {
        operationId: 'teas/replace',
        tags: ['teas'],
        summary: 'Replace a tea',
        description: 'Replaces it.\n\n# Limits\n\nNone.',
        deprecated: true,
        security: [{ oauth2: ['teas:write'] }],
        externalDocs: { url: 'https://example.com/replace' },
        parameters: [
          { name: 'kind', in: 'query', required: true, schema: { type: 'string', enum: ['green', 'black'] } },
          { name: 'sizes', in: 'query', schema: { type: 'array', items: { type: 'integer' } }, style: 'pipeDelimited' },
          { name: 'filter', in: 'query', content: { 'application/json': { schema: { type: 'object' } } } },
          { name: 'X-Trace', in: 'header', deprecated: true, schema: { type: 'string', default: 'none' } },
          { name: 'session', in: 'cookie', schema: { type: 'string' } },
          { name: 'Authorization', in: 'header', schema: { type: 'string' } },
        ],
        requestBody: { $ref: '#/components/requestBodies/Tea' },
        responses: {
          200: {
            $ref: '#/components/responses/Tea',
            description: 'The tea as it is now.',
          },
          default: { description: 'A *problem*.' },
          'x-own': {},
        },
        callbacks: {
          brewed: {
            '{$request.body#/callback}': {
              post: {
                summary: 'The tea is ready',
                requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Tea' } } } },
                responses: { 204: { description: 'Thanks.' } },
              },
            },
          },
        },
      },
      get: { summary: 'Read a tea', tags: ['teas'], security: [{}, { oauth2: [] }], responses: {} },
    },
    '/upload': {
      post: {
        tags: ['files'],
        security: [],
        requestBody: {
          required: true,
          content: {
            'multipart/form-data': {
              schema: {
                type: 'object',
                required: ['file'],
                properties: {
                  file: { type: 'string', format: 'binary' },
                  note: { type: 'string', description: 'A note.', example: 'fresh' },
                  id: { type: 'string', readOnly: true },
                },
              },
              encoding: { note: { contentType: 'text/plain' } },
            },
            'image/png': { schema: { type: 'string', contentMediaType: 'image/png' } },
            'text/csv': { example: 'a,b' },
          },
        },
        responses: { 201: { description: 'Stored.' } },
      },
      additionalOperations: { COPY: { summary: 'Copy', responses: {} } },
      query: { summary: 'Find files', responses: {} },
    },
  },
  webhooks: {
    sold: {
      post: {
        requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Tea' } } } },
        responses: { 200: { description: 'Received.' } },
      },
    },
  },
  components: {
    parameters: {
      Id: { name: 'id', in: 'path', required: true, description: 'Of the tea.', schema: { type: 'string' } },
    },
    requestBodies: {
      Tea: {
        required: true,
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/Tea' },
            examples: {
              green: { summary: 'Green', value: { name: 'Sencha' } },
              black: { $ref: '#/components/examples/black' },
            },
          },
        },
      },
    },
    examples: { black: { summary: 'Black', value: { name: 'Assam' } } },
    responses: {
      Tea: {
        description: 'A tea.',
        headers: { 'x-left': { description: 'Calls left.', schema: { type: 'integer' } } },
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Tea' } } },
        links: {
          read: { operationRef: '#/paths/~1teas~1{id}/get', parameters: { id: '$response.body#/id' } },
          replace: { operationId: 'teas/replace', description: 'Once more.' },
        },
      },
    },
    schemas: {
      Tea: {
        type: 'object',
        required: ['name', 'leaf'],
        properties: {
          id: { type: 'string', readOnly: true },
          name: { type: 'string', minLength: 1, pattern: '^T', description: 'What it is *called*.' },
          price: { type: ['number', 'null'], minimum: 0, exclusiveMaximum: 100, multipleOf: 0.5 },
          kind: { const: 'tea' },
          grade: { type: 'string', enum: ['A', 'B'], default: 'A', deprecated: true },
          leaf: {
            oneOf: [{ $ref: '#/components/schemas/Whole' }, { $ref: '#/components/schemas/Broken' }],
            discriminator: { propertyName: 'shape', mapping: { whole: '#/components/schemas/Whole' } },
          },
          blend: { type: 'array', items: { $ref: '#/components/schemas/Tea' }, minItems: 1 },
          labels: {
            type: 'object',
            additionalProperties: { type: 'string' },
            patternProperties: { '^x-': { type: 'integer' } },
          },
          named: { $ref: '#/components/schemas/Named', description: 'Beside the reference.' },
          pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'object', properties: { deep: true } }] },
          never: false,
        },
        additionalProperties: false,
      },
      Named: {
        allOf: [{ type: 'object', properties: { first: { type: 'string' } } }, { $ref: '#/components/schemas/Last' }],
      },
      Last: { type: 'object', required: ['last'], properties: { last: { type: 'string', nullable: true } } },
      Whole: { type: 'object', properties: { shape: { type: 'string' } } },
      Broken: { anyOf: [{ title: 'Fannings', type: 'string' }, { type: 'null' }] },
    },
  },
} satisfies JsonObject
