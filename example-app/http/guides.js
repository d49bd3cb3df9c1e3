// @ts-check
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const GUIDES = join(import.meta.dirname, '../guides')
/** The address that the files have. */
const WRITTEN_FOR = 'http://localhost:3000'

/**
 * Calls `create` with the pattern of guides whose commands have the address of this server. The console reads them once.
 * @template Result
 * @param {string} baseUrl
 * @param {(pattern: string) => Result} create
 * @returns {Result}
 */
export function withGuides(baseUrl, create) {
  const folder = mkdtempSync(join(tmpdir(), 'example-guides-'))
  try {
    for (const name of readdirSync(GUIDES)) {
      const text = readFileSync(join(GUIDES, name), 'utf8')
      writeFileSync(join(folder, name), text.replaceAll(WRITTEN_FOR, baseUrl))
    }
    return create(join(folder, '*.md'))
  } finally {
    rmSync(folder, { recursive: true })
  }
}
