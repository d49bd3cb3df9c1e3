import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import express from 'express'
import { afterAll, beforeAll, expect } from 'vitest'
import type { ApisOptions } from '../../../src/index.js'
import { plans } from '../../../src/features/plans/index.js'
import { postgresStore } from '../../../src/stores/postgres/index.js'
import { management, managementApi } from '../../../src/tools/management/index.js'
import { accessToken, listen } from '../../support/http.js'
import {
  APIS,
  openPlatform,
  STORES,
  type FullPlatform,
  type OpenedStore,
  type TestOptions,
} from '../../support/platform.js'
import { freshDatabase } from '../../support/postgres.js'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  // oxlint-disable-next-line typescript/no-explicit-any -- a document of any operation
  readonly body: any
}

/** Sends a request of an application that may use management, and checks the answer by the document. */
export type Call = (line: string, body?: unknown, headers?: Readonly<Record<string, string>>) => Promise<Answer>

export interface Operation {
  readonly operationId: string
  readonly security: readonly [{ readonly oauth2: readonly [string] }]
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly schema: object }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: object }>> }
  readonly responses: Readonly<
    Record<
      string,
      { readonly content?: Readonly<Record<string, { readonly schema: object }>>; readonly headers?: object }
    >
  >
}

export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly responses: Operation['responses'] }
}

export interface ManagementSite {
  readonly auth: FullPlatform
  readonly url: string
  readonly document: Document
  /** The calls of a new application with these scopes of management; all of them if left out. */
  caller(scopes?: readonly string[], name?: string): Promise<Call & { readonly id: string }>
}

export const MANAGED_STORES: Readonly<Record<string, () => Promise<OpenedStore>>> = {
  ...STORES,
  PostgreSQL: async () => {
    const { url, remove: drop } = await freshDatabase()
    const { default: pg } = await import('pg')
    const pool = new pg.Pool({ connectionString: url, max: 4 })
    const remove = async (): Promise<void> => {
      await pool.end()
      await drop()
    }
    return { store: postgresStore({ pool }), remove }
  },
}

/** A platform with every feature, and management at `/management`, for all tests of a `describe()`. */
export function useManagement(
  openStore: () => Promise<OpenedStore>,
  { apis, ...options }: TestOptions & { readonly apis?: ApisOptions } = {},
): ManagementSite {
  const site = {} as { -readonly [Name in keyof ManagementSite]: ManagementSite[Name] }
  let close: () => Promise<void>
  beforeAll(async () => {
    const opened = await openStore()
    const { auth } = openPlatform({
      apis: { ...APIS, ...apis, management: managementApi },
      store: opened.store,
      now: Date.now,
      mailer: { send: async () => undefined },
      developersUrl: 'https://api.example.com/developers',
      plans: plans({ gold: { requests: [{ limit: 1000, per: 'day' }] } }),
      rateLimits: { requests: false, registration: false, allRegistrations: false },
      ...options,
    })
    await auth.ready()
    const app = express()
      .use(auth.router)
      .use('/management', management(auth, { api: 'management' }))
    const server = await listen(app)
    const url = `http://127.0.0.1:${server.port}/management`
    const document = (await (await fetch(`${url}/openapi.json`)).json()) as Document
    const check = createCheck(document)
    Object.assign(site, {
      auth,
      url,
      document,
      async caller(scopes = Object.keys(managementApi.scopes), name = 'CI') {
        const { application, credentials } = await auth.applications.create({ name, apis: { management: { scopes } } })
        const token = await accessToken(app, 'management', credentials as never)
        const call: Call = async (line, body, headers = {}) => {
          const [method = '', path = ''] = line.split(' ')
          const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
          const response = await fetch(url + path, {
            method,
            headers: {
              authorization: `Bearer ${token}`,
              ...(body !== undefined && { 'content-type': type }),
              ...headers,
            },
            ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
          })
          const text = await response.text()
          const answer = {
            status: response.status,
            headers: response.headers,
            body: text === '' ? undefined : (JSON.parse(text) as unknown),
          }
          check(method, path, answer)
          return answer
        }
        return Object.assign(call, { id: application.id })
      },
    } satisfies ManagementSite)
    close = async () => {
      await server.close()
      await auth.close()
      await opened.remove()
    }
  })
  afterAll(() => close())
  return site
}

const ajv = new Ajv2020({ strict: false, logger: false })
addFormats.default(ajv)
/** By the text of a schema: the refusals of all operations, and the documents of all stores, are alike. */
const compiled = new Map<string, ReturnType<typeof ajv.compile>>()

/** Checks that the document has an answer: its status, its media type, and every member of its body. */
function createCheck({ paths, components }: Document): (method: string, path: string, answer: Answer) => void {
  const validators = new Map<string, ReturnType<typeof ajv.compile>>()
  const known = Object.entries(paths).map(([path, item]) => ({
    pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    literal: path.replaceAll(/\{\w+\}/g, '').length,
    item,
  }))
  return (method, url, { status, headers, body }) => {
    const path = url.split('?', 1)[0]!
    const found = known
      .filter(({ pattern }) => pattern.test(path))
      .toSorted((one, other) => other.literal - one.literal)[0]
    if (method === 'OPTIONS' && status === 204) return
    const operation = found?.item[method === 'HEAD' ? 'get' : method.toLowerCase()]
    if (!operation) expect([404, 405]).toContain(status)
    const listed = operation ? operation.responses[String(status)] : components.responses['default']
    const documented = listed && '$ref' in listed ? components.responses[String(status)] : listed
    const what = `${method} ${url}: ${status} ${JSON.stringify(body)?.slice(0, 400)}`
    expect(documented, what).toBeDefined()
    if (method === 'HEAD') return
    if (body === undefined) return expect(documented!.content, what).toBeUndefined()
    expect(headers.get('cache-control'), what).toBe('no-store')
    const type = headers.get('content-type')!.split(';', 1)[0]!
    const schema = documented!.content?.[type]?.schema
    expect(schema, `${what} ${type}`).toBeDefined()
    const key = `${method} ${found?.pattern.source} ${status} ${type}`
    const validate = validators.get(key) ?? compile({ ...schema, components })
    validators.set(key, validate)
    expect(validate(body) ? [] : validate.errors, what).toEqual([])
  }
}

function compile(schema: object): ReturnType<typeof ajv.compile> {
  const text = JSON.stringify(schema)
  const validate = compiled.get(text) ?? ajv.compile(close(schema))
  compiled.set(text, validate)
  return validate
}

/** The same schema, by which no object has members that are not in it. */
function close(schema: unknown): object {
  return JSON.parse(JSON.stringify(schema), (_, value: unknown) => {
    const isObject =
      typeof value === 'object' && value !== null && 'properties' in value && !('additionalProperties' in value)
    return isObject ? { ...value, additionalProperties: false } : value
  }) as object
}
