import { createServer } from 'node:http'
import express, { type RequestHandler } from 'express'
import { developerConsole } from '../../../src/tools/console/index.js'
import { memoryMailer } from '../../../src/tools/testing/index.js'
import { asObject, type JsonObject } from '../../../src/shared/openapi/document.js'
import { readDocument } from '../../../src/shared/openapi/read-document.js'
import { listScopes, listSecurities } from '../../../src/shared/openapi/security.js'
import { openPlatform } from '../../support/platform.js'
import { answerFrom, type ReceivedCall } from './mock-answers.js'
import type { RealDocument } from './real-documents.js'
import { listen } from './shop.js'
import { guardsFromDocument } from '../../../src/tools/document-guards/index.js'

/** A running platform whose APIs answer as their documents say, with a console that has their references. */
export interface MockServer {
  readonly baseUrl: string
  readonly developers: string
  readonly documents: ReadonlyMap<string, JsonObject>
  /** Of an application that may use all APIs with all scopes. */
  readonly credentials: { readonly key: string; readonly secret: string }
  /** What the APIs were asked, the latest last. */
  readonly received: ReceivedCall[]
  close(): Promise<void>
}

/** An API for each document. Its routes require a credential of its scheme, by the document where a guard can enforce it. */
export async function openMockServer(given: ReadonlyMap<string, RealDocument>): Promise<MockServer> {
  const documents = new Map([...given].map(([name, { read }]) => [name, withoutServers(readOnce(name, read()))]))
  const app = express()
  const server = createServer(app)
  const baseUrl = `http://localhost:${await listen(server)}`
  const developers = `${baseUrl}/developers`
  const apis = Object.fromEntries(
    [...documents].map(([name, document]) => [name, describeApi(given.get(name)!, document)]),
  )
  const { auth } = openPlatform({
    baseUrl,
    developersUrl: developers,
    mailer: memoryMailer(),
    now: Date.now,
    rateLimits: { registration: false },
    apis,
  })
  const received: ReceivedCall[] = []
  app.use(auth.router)
  app.use('/developers', developerConsole(auth, { documents: Object.fromEntries(documents), title: 'Providers' }))
  for (const [name, document] of documents) {
    const { scheme } = given.get(name)!
    const guard = scheme === 'oauth2' ? auth.requireBearer(name) : auth.requireApiKey(name)
    app.use(`/${name}`, guardFromDocument(() => guardsFromDocument(auth, name, document)) ?? guard)
    app.use(`/${name}`, express.raw({ type: () => true, limit: '1mb' }), answerFrom(document, received))
  }
  await auth.ready()
  const { credentials } = await auth.applications.create({ name: 'Reader', apis: [...documents.keys()] })
  return {
    baseUrl,
    developers,
    documents,
    credentials: { key: credentials.clientId, secret: credentials.clientSecret! },
    received,
    async close() {
      server.closeAllConnections()
      server.close()
      await auth.close()
    },
  }
}

/** The console checks each document itself, and large ones take a second. */
function readOnce(name: string, document: JsonObject | string): JsonObject {
  return typeof document === 'string' ? readDocument(name, document) : document
}

/** What start-up asks for: every scope that the document names. */
function describeApi({ scheme }: RealDocument, document: JsonObject) {
  const title = String(asObject(document['info'])['title'])
  if (scheme === 'apiKey') return { scheme, title }
  const scopes = listSecurities(document).flatMap(({ security }) => (security as unknown[]).flatMap(listScopes))
  return { scheme, title, scopes: Object.fromEntries(scopes.map((scope) => [scope, `May ${scope}`])) }
}

/** Undefined where the document has schemes that guards do not check, such as Twilio's `basic`. */
function guardFromDocument(create: () => RequestHandler): RequestHandler | undefined {
  try {
    return create()
  } catch {
    return undefined
  }
}

/** As a provider who uses this package would write it: the console knows the address, and all APIs are on this server. */
function withoutServers(document: JsonObject): JsonObject {
  delete document['servers']
  for (const pathItem of Object.values(asObject(document['paths'])).map(asObject)) {
    delete pathItem['servers']
    for (const operation of Object.values(pathItem)) delete asObject(operation)['servers']
  }
  return document
}
