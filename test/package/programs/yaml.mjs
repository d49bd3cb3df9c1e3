import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import * as imported from 'express-platform-auth'

const required = createRequire(import.meta.url)('express-platform-auth')
const document = "openapi: 3.1.0\ninfo: { title: Orders, version: '1' }\npaths: { /items: { get: {} } }\n"
writeFileSync('orders.yaml', document)
const messages = [imported, required].map(({ createPlatformAuth, memoryStore }) => {
  const apis = { orders: { scheme: 'oauth2' } }
  const auth = createPlatformAuth({ baseUrl: 'http://localhost:3000', apis, store: memoryStore() })
  try {
    return typeof auth.guardsFromDocument('orders', 'orders.yaml')
  } catch (error) {
    return error.message
  } finally {
    void auth.close()
  }
})
console.log(JSON.stringify(messages))
