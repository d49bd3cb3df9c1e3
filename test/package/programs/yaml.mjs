import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import * as imported from 'express-platform-auth'
import { guardsFromDocument as importedGuards } from 'express-platform-auth/document-guards'

const require = createRequire(import.meta.url)
const required = require('express-platform-auth')
const { guardsFromDocument: requiredGuards } = require('express-platform-auth/document-guards')
const document = "openapi: 3.1.0\ninfo: { title: Orders, version: '1' }\npaths: { /items: { get: {} } }\n"
writeFileSync('orders.yaml', document)
const copies = [
  [imported, importedGuards],
  [required, requiredGuards],
  // As happens when one of an app's dependencies requires what it imports itself.
  [imported, requiredGuards],
]
const messages = copies.map(([{ createPlatformAuth, memoryStore }, guardsFromDocument]) => {
  const apis = { orders: { scheme: 'oauth2' } }
  const auth = createPlatformAuth({ baseUrl: 'http://localhost:3000', apis, store: memoryStore() })
  try {
    return typeof guardsFromDocument(auth, 'orders', 'orders.yaml')
  } catch (error) {
    return error.message
  } finally {
    void auth.close()
  }
})
console.log(JSON.stringify(messages))
