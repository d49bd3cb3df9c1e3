/**
 * `flood.mjs <tokens>`: verifies that many distinct valid access tokens by `auth.verifyAccessToken()`. Prints the heap in
 * use after garbage collection: before, the maximum, after, and once all tokens have expired.
 */
import { createPlatformAuth, memoryStore } from '../../dist/esm/index.js'
import { PLATFORM, privateSigningKey } from './platform.mjs'
import { claimsOf, SCOPES, signerOf } from './tokens.mjs'

const count = Number(process.argv[2])
const LIFETIME = 3600
/** Verified concurrently, as in a server. */
const BATCH = 50
/** More than twice the size of the cache: no earlier entry remains. */
const TURN_OVER = 50_000

let ahead = 0
const now = () => Date.now() + ahead
const store = memoryStore()
const auth = createPlatformAuth({ ...PLATFORM, store, now })
await auth.ready()
const key = await privateSigningKey(store)
const sign = signerOf(key.jwk, key)
const ids = []
for (let i = 0; i < 1000; i++) {
  const { application } = await auth.applications.create({
    name: `Application ${i}`,
    apis: { orders: { scopes: SCOPES } },
  })
  ids.push(application.id)
}

await verify(1000)
const before = heap()
let highest = 0
const step = Math.ceil(count / 20)
const began = process.cpuUsage()
for (let done = 0; done < count; done += step) {
  await verify(Math.min(step, count - done))
  highest = Math.max(highest, heap())
}
const { user, system } = process.cpuUsage(began)
const after = heap()
ahead = (LIFETIME + 60) * 1000
await verify(TURN_OVER)
const turnedOver = heap()
const report = { count, before, highest, after, turnedOver, cpu: (user + system) / count }
process.stdout.write(`${JSON.stringify(report)}\n`)
await auth.close()

async function verify(tokens) {
  for (let done = 0; done < tokens; done += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, tokens - done) }, (_, i) =>
      sign(claimsOf(ids[(done + i) % ids.length], { issuedAt: now(), lifetime: LIFETIME })),
    )
    await Promise.all(batch.map((token) => auth.verifyAccessToken('orders', token)))
  }
}

function heap() {
  globalThis.gc()
  return process.memoryUsage().heapUsed
}
