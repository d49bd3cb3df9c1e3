import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createPlatformAuth } from '../../../dist/esm/index.js'
import { sqliteStore } from '../../../dist/esm/stores/sqlite/index.js'
import { ANSWER } from '../answer.mjs'
import { newApp } from '../app.mjs'
import { PLATFORM, privateSigningKey } from '../platform.mjs'
import { claimsOf, signerOf } from '../tokens.mjs'

/** Both guards on a SQLite store with that many applications, of which the hot ones call. */
export async function start({ applications, hot }) {
  const { file, known } = seeded(applications, hot)
  const started = performance.now()
  const store = sqliteStore(file)
  const auth = createPlatformAuth({ ...PLATFORM, store })
  await auth.ready()
  const startUp = performance.now() - started

  const key = await privateSigningKey(store)
  const sign = signerOf(key.jwk, key)
  const app = newApp()
  const answer = (_req, res) => {
    res.json(ANSWER)
  }
  app.get('/orders/items', auth.requireBearer('orders', { scopes: ['orders:read'] }), answer)
  app.get('/catalog/items', auth.requireApiKey('catalog'), answer)
  return {
    app,
    startUp,
    lines: { keys: known.map(({ clientId }) => clientId), tokens: known.map(({ id }) => sign(claimsOf(id))) },
  }
}

/** Created once and kept in the temporary folder until the schema changes. */
function seeded(applications, hot) {
  const migrations = fileURLToPath(import.meta.resolve('../../../dist/modules/stores/sqlite/migrations/index.js'))
  const version = createHash('sha256').update(readFileSync(migrations)).digest('hex').slice(0, 8)
  const folder = join(tmpdir(), `platform-auth-bench-${applications}-applications-${version}`)
  if (!existsSync(join(folder, 'hot.json'))) {
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { mode: 0o700 })
    const seed = fileURLToPath(import.meta.resolve('../seed.mjs'))
    // In a child process, so that its memory is not counted here.
    const args = [seed, folder, String(applications), String(hot)]
    const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' })
    if (status !== 0) throw new Error(`Seeding ended with ${status}.`)
  }
  return { file: join(folder, 'platform.sqlite'), known: JSON.parse(readFileSync(join(folder, 'hot.json'), 'utf8')) }
}
