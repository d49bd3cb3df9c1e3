import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { POLLUTION_KINDS, startAttackedPlatform } from './platform-process.js'
import { findPollutionProblems } from './pollution.js'

const SOURCE = fileURLToPath(new URL('../../src/', import.meta.url))

describe('a process with a polluted Object.prototype', () => {
  it('answers all requests as before, whichever member in the source is polluted', { timeout: 1_800_000 }, async () => {
    const platform = await startAttackedPlatform()
    expect(await findPollutionProblems(platform, listMembers(), POLLUTION_KINDS)).toEqual([])
    await platform.end()
  })
})

/** Every name in the source that may be that of a member. */
function listMembers(): ReadonlySet<string> {
  const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'))
  const text = files.map((path) => readFileSync(join(SOURCE, path), 'utf8')).join('\n')
  const code = text.replace(/\/\*[^]*?\*\/|\/\/.*|'[^'\n]*'|`[^`]*`/g, '')
  return new Set([...code.matchAll(/\.([A-Za-z_]\w*)\b|\b([A-Za-z_]\w*)\??[:,]/g)].map(([, a, b]) => a ?? b!))
}
