import type { CoreAuth } from '../../index.js'
import { describeMember, type Operation } from '../operations/operation.js'
import { SCOPES } from '../operations/operator-calls.js'
import { APPLICATION, toJsonSchema, type JsonSchema } from '../operations/schemas.js'
import { STATUS } from './problem.js'
import type { Route } from './routes.js'

export function createDocument(auth: CoreAuth, apiName: string, routes: readonly Route[]): object {
  const { resource, tokenEndpoint, title, description } = auth.apis.find(({ name }) => name === apiName)!
  const schemas = new Map<string, JsonSchema>()
  const paths = new Map<string, Record<string, object>>()
  for (const route of routes) {
    const item = paths.get(route.path) ?? {}
    item[route.method.toLowerCase()] = describeOperation(route, schemas)
    paths.set(route.path, item)
  }
  return {
    openapi: '3.1.0',
    info: { title, version: '1', description },
    servers: [{ url: resource }],
    paths: Object.fromEntries(paths),
    components: {
      responses: RESPONSES,
      schemas: { ...Object.fromEntries(schemas), Problem: PROBLEM, Made: MADE },
      securitySchemes: {
        oauth2: { type: 'oauth2', flows: { clientCredentials: { tokenUrl: tokenEndpoint, scopes: SCOPES } } },
      },
    },
  }
}

function describeOperation(route: Route, schemas: Map<string, JsonSchema>): object {
  const { operation } = route
  const { summary, scope, memberScopes, name, output, creates } = operation
  const [tag] = name.split('.')
  const notes = Object.entries(memberScopes).map(([member, needed]) => `\`${member}\` also needs the scope ${needed}.`)
  const status = output === undefined ? '204' : creates ? '201' : '200'
  return {
    operationId: name.replace(/\.(\w)/, (_, letter: string) => letter.toUpperCase()),
    tags: [tag],
    summary,
    ...(notes.length > 0 && { description: notes.join(' ') }),
    security: [{ oauth2: [scope] }],
    parameters: listParameters(route),
    ...describeBody(route, schemas),
    responses: {
      [status]: {
        description: output === undefined ? 'Done.' : creates ? 'What was made.' : 'The answer.',
        ...describeHeaders(operation),
        ...(output && { content: { 'application/json': { schema: convert(output, 'output', schemas) } } }),
      },
      ...(creates && { 200: { $ref: '#/components/responses/200' } }),
      ...listProblems(route),
    },
  }
}

function describeHeaders(operation: Operation): object {
  const headers = {
    ...(isVersioned(operation) && { ETag: describeValue('The version of the application, for If-Match.') }),
    ...(operation.creates && { Location: describeValue('The address of what was made, or of its application.') }),
  }
  return Object.keys(headers).length > 0 ? { headers } : {}
}

function describeValue(description: string): object {
  return { description, schema: { type: 'string' } }
}

function listParameters({ operation, path, hasBody }: Route): object[] {
  const { shape } = operation.input
  const inPath = Object.keys(shape).filter((name) => path.includes(`{${name}}`))
  const inQuery = hasBody ? [] : Object.keys(shape).filter((name) => !inPath.includes(name))
  const describe = (name: string, place: 'path' | 'query'): object => {
    const { description: _, ...schema } = toJsonSchema(shape[name]!, 'input').schema
    const { description, isOptional } = describeMember(shape[name]!)
    return { name, in: place, required: !isOptional, description, schema }
  }
  return [
    ...(operation.creates ? [IDEMPOTENCY_KEY] : []),
    ...inPath.map((name) => describe(name, 'path')),
    ...inQuery.map((name) => describe(name, 'query')),
    ...(isConditional(operation) ? [IF_MATCH] : []),
  ]
}

const IF_MATCH = describeHeader('If-Match', 'The ETag that the application must have.')
const IDEMPOTENCY_KEY = describeHeader(
  'Idempotency-Key',
  'With the key of an earlier request nothing is made: the answer says what that one made, without its credentials.',
)

function describeHeader(name: string, description: string): object {
  return { name, in: 'header', ...describeValue(description) }
}

export function isVersioned({ changes, output }: Operation): boolean {
  return changes === 'application' || output === APPLICATION
}

/** Whether an operation compares the version of the application that it changes. Nothing else has versions. */
export function isConditional({ changes, subject }: Operation): boolean {
  return changes === 'application' && subject[0] === 'id'
}

function describeBody({ operation, path, method, hasBody }: Route, schemas: Map<string, JsonSchema>): object {
  if (!hasBody) return {}
  const {
    properties,
    required = [],
    ...rest
  } = convert(operation.input, 'input', schemas) as {
    properties: Record<string, JsonSchema>
    required?: string[]
  }
  const isInBody = (name: string): boolean => !path.includes(`{${name}}`)
  const members = Object.entries(properties).filter(([name]) => isInBody(name))
  if (members.length === 0) return {}
  const needed = required.filter(isInBody)
  const schema = { ...rest, properties: Object.fromEntries(members), ...(needed.length > 0 && { required: needed }) }
  const types = [...(method === 'PATCH' ? ['application/merge-patch+json'] : []), 'application/json']
  const content = Object.fromEntries(types.map((type) => [type, { schema }]))
  return { requestBody: { required: needed.length > 0, content } }
}

function convert(schema: Parameters<typeof toJsonSchema>[0], io: 'input' | 'output', schemas: Map<string, JsonSchema>) {
  const { schema: converted, parts } = toJsonSchema(schema, io, '#/components/schemas/')
  for (const [name, part] of Object.entries(parts)) schemas.set(name, part)
  return converted
}

const PROBLEM: JsonSchema = {
  type: 'object',
  description: 'RFC 9457.',
  required: ['title', 'status', 'code', 'detail'],
  properties: {
    title: { type: 'string' },
    status: { type: 'integer' },
    code: { enum: Object.keys(STATUS) },
    detail: { type: 'string' },
  },
}
const MADE: JsonSchema = {
  type: 'object',
  description: 'The application, and the credential of it; or the signing key.',
  required: ['repeated'],
  properties: {
    repeated: { const: true },
    applicationId: { type: 'string' },
    credentialId: { type: 'string' },
    kid: { type: 'string' },
  },
}

const problem = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } }

/** The answers that every operation may have, and those of one with a parameter in its path. */
const RESPONSES = {
  200: {
    description: 'An earlier request with this Idempotency-Key has made it.',
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Made' } } },
  },
  400: { description: 'The request is wrong.', content: problem },
  401: { description: 'There is no valid access token.', content: problem },
  403: {
    description: 'The access token lacks the scope, or the application has access to management.',
    content: problem,
  },
  404: { description: 'There is none with this id.', content: problem },
  409: { description: 'The state of the application, or of the signing keys, does not allow it.', content: problem },
  412: { description: 'The application has changed since.', content: problem },
  413: { description: 'The body is larger than 16 KiB.', content: problem },
  415: { description: 'The body is not JSON.', content: problem },
  422: { description: 'The Idempotency-Key was used for another request.', content: problem },
  429: { description: 'Too many requests.', content: problem },
  503: { description: 'The store is unavailable.', content: problem },
  default: { description: 'Any other refusal.', content: problem },
}

function listProblems({ operation, path }: Route): object {
  const others = ['200', path.includes('{') ? '' : '404', operation.creates ? '' : '422']
  const statuses = Object.keys(RESPONSES).filter((status) => !others.includes(status))
  return Object.fromEntries(statuses.map((status) => [status, { $ref: `#/components/responses/${status}` }]))
}
