import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path/posix'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

// The plan of src/README.md. A room is a folder of src; the ground is what lies beside them, apart from index and the
// two files in which the wings meet. Every room may import itself.
const GROUND = 'the ground'
const BELOW = ['applications', 'tokens', 'http', 'limits', 'stores', 'authorization-server', 'resource-server']
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  [GROUND]: [],
  applications: [GROUND],
  tokens: [GROUND],
  http: ['errors'],
  limits: ['errors', 'api', 'redis', 'bounded-cache'],
  stores: ['store', 'errors', 'events'],
  mailers: ['mailer'],
  'authorization-server': [GROUND, 'applications', 'tokens', 'http', 'limits'],
  'resource-server': [GROUND, 'applications', 'tokens', 'http', 'limits'],
  'platform-auth': [GROUND, ...BELOW],
  operations: [GROUND, ...BELOW],
  index: [GROUND, ...BELOW, 'platform-auth', 'operations', 'mailers'],
  testing: ['index'],
  console: ['index'],
  cli: ['index', 'stores/sqlite', 'stores/postgres'],
  opentelemetry: ['index'],
}
const DOORS = /^(http|console)\/|\/(router|guards|[a-z-]*(router|endpoints?))\.ts$/

interface Import {
  readonly from: string
  readonly to: string
  readonly typeOnly: boolean
}

describe('the plan of the house', () => {
  it('is kept by every file of src', () => {
    const source = fileURLToPath(new URL('../src/', import.meta.url))
    const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
    expect(files).toContain('index.ts')
    expect(violations(new Map(files.map((file) => [file, readFileSync(join(source, file), 'utf8')])))).toEqual([])
  })

  it.each([
    ['errors.ts', `import type { Guard } from './resource-server/guards.js'`],
    ['api.ts', `import { createPlatformAuth } from './platform-auth.js'`],
    ['applications/registry.ts', `import { sign } from '../tokens/access-token.js'`],
    ['tokens/access-token.ts', `export { createRegistry } from '../applications/registry.js'`],
    ['tokens/access-token.ts', `import { sendJson } from '../http/respond.js'`],
    ['stores/sqlite.ts', `import type { Encryption } from '../encryption.js'`],
    ['stores/sqlite.ts', `const { x } = await import('../applications/registry.js')`],
    ['http/respond.ts', `import type { Store } from '../store.js'`],
    ['authorization-server/router.ts', `import {\n  type Guard,\n} from '../resource-server/guards.js'`],
    ['resource-server/guards.ts', `import '../authorization-server/router.js'`],
    ['platform-auth.ts', `import { kit } from './testing/index.js'`],
    ['testing/index.ts', `import type { PlatformAuth } from '../platform-auth.js'`],
    ['console/assets.ts', `import { respond } from '../http/respond.js'`],
    ['attic/old.ts', `import { respond } from '../http/respond.js'`],
    ['index.ts', `export * from './platform-auth.js'`],
    ['opentelemetry/spans.ts', `import type { PlatformEvent } from '../events.js'`],
    ['index.ts', `export { observe } from './opentelemetry/index.js'`],
    ['tokens/rotation.ts', `import { trace } from '@opentelemetry/api'`],
    ['tokens/rotation.ts', `import { Passport } from 'passport'`],
    ['authorization-server/router.ts', `import type { Strategy } from 'passport-http-bearer'`],
    ['applications/registry.ts', `import { Router } from 'express'`],
    ['resource-server/bearer-strategy.ts', `import { type Request, Router } from 'express'`],
    ['authorization-server/router.ts', `export default function router() {}`],
    ['authorization-server/router.ts', `const router = 1\nexport { router as default }`],
    ['tokens/rotation.ts', `import { memoryStore } from 'express-platform-auth'`],
  ])('refuses in %s: %s', (file, source) => {
    expect(violations(new Map([[file, source]]))).toHaveLength(1)
  })

  it.each([
    [
      'tokens/access-token.ts',
      `import { OAuthError } from '../errors.js'\nimport { current } from './signing-keys.js'`,
    ],
    ['resource-server/guards.ts', `import type { Request } from 'express'`],
    ['authorization-server/router.ts', `import { Router } from 'express'`],
    ['resource-server/bearer-strategy.ts', `import { Strategy } from 'passport-http-bearer'`],
    ['testing/index.ts', `import { memoryStore } from '../index.js'`],
    ['opentelemetry/spans.ts', `import { trace } from '@opentelemetry/api'`],
    ['errors.ts', `/**\n * import { guard } from './resource-server/guards.js'\n */\nimport { show } from './api.js'`],
  ])('allows in %s: %s', (file, source) => {
    expect(violations(new Map([[file, source]]))).toEqual([])
  })
})

function violations(files: ReadonlyMap<string, string>): string[] {
  return [...files].flatMap(([file, source]) => {
    const code = source.replaceAll(/^\s*(?:\/\*\*[\s\S]*?\*\/|\/\/.*)$/gm, '')
    const found = importsOf(file, code)
      .filter(isForbidden)
      .map(({ to }) => `${file} imports ${to}`)
    if (/^export (?:default\b|\{[^}]*\bas default\b)/m.test(code)) found.push(`${file} has a default export`)
    if (file === 'index.ts' && /^export \*/m.test(code)) found.push('index.ts exports without naming')
    return found
  })
}

function importsOf(file: string, code: string): Import[] {
  const statements = [...code.matchAll(/^(?:import|export)\s+(type\s)?([^'"=;]*?)(?:from\s*)?['"]([^'"]+)['"]/gm)]
  const calls = [...code.matchAll(/\b(?:import|require)\(\s*['"]([^'"]+)['"]/g)]
  const resolve = (specifier: string): string =>
    specifier.startsWith('.') ? normalize(join(dirname(file), specifier)).replace(/\.js$/, '.ts') : specifier
  return [
    ...statements.map(([, type, names = '', to = '']) => {
      const typeOnly = type !== undefined || /^\{(?:\s*type [\w\s]+,?)+\s*\}\s*$/.test(names)
      return { from: file, to: resolve(to), typeOnly }
    }),
    ...calls.map(([, to = '']) => ({ from: file, to: resolve(to), typeOnly: false })),
  ]
}

function isForbidden({ from, to, typeOnly }: Import): boolean {
  if (to.startsWith('passport')) return !from.startsWith('resource-server/')
  // Hosts without it have the rest.
  if (to.startsWith('@opentelemetry/')) return !from.startsWith('opentelemetry/')
  if (to === 'express') return !typeOnly && !DOORS.test(from)
  if (!to.endsWith('.ts')) return to.startsWith('express-platform-auth')
  const [room, target] = [roomOf(from), roomOf(to)]
  const allowed = MAY_IMPORT[room]
  if (allowed === undefined) return true
  return !(room === target || allowed.includes(target) || allowed.includes(to.replace(/\.ts$/, '')))
}

function roomOf(file: string): string {
  const [first = ''] = file.split('/')
  if (file.includes('/')) return first
  const room = first.replace('.ts', '')
  return ['index', 'platform-auth', 'operations'].includes(room) ? room : GROUND
}
