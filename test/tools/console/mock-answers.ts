import type { Request, RequestHandler, Response } from 'express'
import {
  asObject,
  followReference,
  listCallableOperations,
  type JsonObject,
  type Operation,
} from '../../../src/shared/openapi/document.js'
import { PNG } from './every-state.js'

/** A request that an API of the mock server has answered. */
export interface ReceivedCall {
  readonly method: string
  /** Of the operation, as the document writes it. */
  readonly path: string
  readonly url: string
  readonly headers: Request['headers']
  readonly body: Buffer
  readonly status: number
}

/**
 * Answers requests as a document says: with the example of the first successful response, else with a value of its schema. A
 * request without a required parameter or body, or with a body of another type, gets 400.
 */
export function answerFrom(document: JsonObject, received: ReceivedCall[]): RequestHandler {
  const routes = listCallableOperations(document).map((operation) => ({
    operation,
    pattern: createPattern(operation.path),
  }))
  // The one with the fewest parameters first, as a router would have it.
  routes.sort((a, b) => countParameters(a.operation) - countParameters(b.operation))
  return (req, res) => {
    const found = routes.find(({ operation, pattern }) => operation.method === req.method && pattern.test(req.path))
    if (!found) res.status(404).json({ error: 'not_found' })
    else answer(document, found.operation, { req, res, received })
  }
}

interface Exchange {
  readonly req: Request
  readonly res: Response
  readonly received: ReceivedCall[]
}

function answer(document: JsonObject, operation: Operation, { req, res, received }: Exchange): void {
  const problem = findProblem(document, operation, req)
  const { status, mediaType, value } = describeAnswer(document, operation)
  const { method, url, headers } = req
  received.push({ method, url, headers, path: operation.path, body: readBody(req), status: problem ? 400 : status })
  res.status(problem ? 400 : status)
  if (problem !== undefined) res.json({ error: 'invalid_request', problem })
  else if (mediaType === undefined || status === 204 || status === 304) res.end()
  else if (mediaType.startsWith('image/')) res.type('png').send(PNG)
  else {
    const isText = typeof value === 'string' && !mediaType.includes('json')
    res.type(mediaType.includes('*') ? 'application/json' : mediaType)
    res.send(isText ? value : JSON.stringify(value ?? null))
  }
}

/** Some documents tell operations of the same path apart by a fragment or a query, which no router sees. */
function createPattern(path: string): RegExp {
  const [withoutSuffix] = path.split(/[?#]/) as [string]
  const escaped = withoutSuffix
    .split(/\{[^{}]+\}/)
    .map((text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
  return new RegExp(`^${escaped.join('[^/]+')}$`)
}

function countParameters({ path }: Operation): number {
  return path.split('{').length
}

function findProblem(document: JsonObject, { pathItem, operation }: Operation, req: Request): string | undefined {
  const parameters = [pathItem['parameters'], operation['parameters']].flat().map((each) => resolve(document, each))
  const missing = parameters.find((parameter) => parameter['required'] === true && !isPresent(parameter, req))
  if (missing) return `The parameter ${String(missing['name'])} in ${String(missing['in'])} is missing.`
  const { required, content } = resolve(document, operation['requestBody'])
  const types = Object.keys(asObject(content))
  const body = readBody(req)
  if (body.length === 0) return required === true ? 'The body is missing.' : undefined
  if (types.length > 0 && types.every((type) => req.is(type.split(';')[0]!) === false))
    return `The body is ${req.get('content-type')}, and not ${types.join(' or ')}.`
  if (req.is('json') === false) return undefined
  try {
    JSON.parse(body.toString('utf8'))
    return undefined
  } catch {
    return 'The body is not JSON.'
  }
}

/** Objects may be written as several parameters, and scripts of pages cannot write cookies of a request. */
function isPresent({ name, in: place }: JsonObject, req: Request): boolean {
  if (place === 'header') return req.get(String(name)) !== undefined
  if (place !== 'query') return true
  const names = new URL(req.originalUrl, 'http://localhost').searchParams.keys()
  return [...names].some((each) => each === name || each.startsWith(`${String(name)}[`))
}

function readBody({ body }: Request): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0)
}

/** The first successful response of an operation, with a value for its body. */
export function describeAnswer(
  document: JsonObject,
  { operation }: Operation,
): { readonly status: number; readonly mediaType?: string; readonly value?: unknown } {
  const responses = asObject(operation['responses'])
  const code = Object.keys(responses).find((each) => each.startsWith('2')) ?? 'default'
  const status = /^\d{3}$/.test(code) ? Number(code) : 200
  const content = asObject(resolve(document, responses[code])['content'])
  const types = Object.keys(content)
  const mediaType = types.find((type) => type.includes('json')) ?? types[0]
  if (mediaType === undefined) return { status }
  const { example, examples, schema } = asObject(content[mediaType])
  const [given] = Object.values(asObject(examples)).map((each) => resolve(document, each)['value'])
  return { status, mediaType, value: example ?? given ?? createValue(document, schema) }
}

const MAX_DEPTH = 6

/** A value of a schema; null for what is nested too deeply, as in a schema that contains itself. */
function createValue(document: JsonObject, given: unknown, depth = 0): unknown {
  const schema = resolve(document, given)
  const {
    example,
    examples,
    default: initial,
    const: only,
    enum: values,
    allOf,
    oneOf,
    anyOf,
    properties,
    items,
  } = schema
  const [first] = [
    example,
    (examples as unknown[] | undefined)?.[0],
    initial,
    only,
    (values as unknown[] | undefined)?.[0],
  ].filter((each) => each !== undefined)
  if (first !== undefined) return first
  if (depth > MAX_DEPTH) return null
  const create = (part: unknown): unknown => createValue(document, part, depth + 1)
  if (Array.isArray(allOf))
    return Object.assign({}, ...allOf.map(create).map(asObject), createMembers(properties, create))
  const [alternative] = [oneOf, anyOf].flat().filter((each) => each !== undefined)
  if (alternative !== undefined) return create(alternative)
  const [type] = [schema['type']].flat().filter((each) => each !== 'null')
  if (type === 'object' || properties !== undefined) return createMembers(properties, create)
  if (type === 'array') return [create(items)]
  if (type === 'integer' || type === 'number') return 1
  if (type === 'boolean') return true
  return 'text'
}

function createMembers(properties: unknown, create: (schema: unknown) => unknown): object {
  return Object.fromEntries(Object.entries(asObject(properties)).map(([name, schema]) => [name, create(schema)]))
}

function resolve(document: JsonObject, given: unknown): JsonObject {
  const value = asObject(given)
  const { $ref: reference } = value
  return typeof reference === 'string' ? resolve(document, followReference(document, reference)) : value
}
