import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { BIN, CONFIG, createSite } from '../command-line.js'

const LINES = 1_000_000
/** What the V8 heap may take: a tenth of the file. The index of lines is outside of it. */
const MAX_HEAP_MIB = 64

it('a million lines are imported in bounded memory, a thousand a second', { timeout: 3_600_000 }, async () => {
  const site = await createSite()
  const file = join(site.folder, 'many.ndjson')
  const out = createWriteStream(file)
  for (let i = 0; i < LINES; i++) {
    const keys = [{ sha256: createHash('sha256').update(`key ${i}`).digest('hex') }]
    const secrets = [{ sha512: createHash('sha512').update(`secret ${i}`).digest('base64') }]
    const apis = { orders: { scopes: ['orders:read'] }, catalog: {} }
    const line = { externalId: `c-${i}`, name: `Partner ${i}`, contact: `dev${i}@shop.example`, apis, keys, secrets }
    if (!out.write(`${JSON.stringify(line)}\n`)) await once(out, 'drain')
  }
  await promisify(out.end.bind(out))()

  const command = ['apps', 'import', file, '--config', CONFIG, '--db', site.file, '--confirm']
  const args = [`--max-old-space-size=${MAX_HEAP_MIB}`, BIN, ...command]
  const env = { ...process.env, CLI_IMPORTED: 'true' }
  const startedAt = performance.now()
  const { stdout } = await promisify(execFile)(process.execPath, args, { env })
  const seconds = (performance.now() - startedAt) / 1000
  expect(stdout).toMatch(/^1000000 lines: 1000000 added, 0 there already, 0 refused\.$/m)
  expect(LINES / seconds, 'applications per second').toBeGreaterThan(1000)
})
