import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parseSourceFile, readSourceFiles, type Import, type SourceFile } from './support/source-files.js'

interface Rule {
  /** Folders of src, or files of them without `.ts`. */
  readonly mayImport: readonly string[]
  /** The same, for `import type` only. */
  readonly mayImportTypes?: readonly string[]
}

const BELOW_SERVERS = ['applications', 'tokens', 'http', 'rate-limits', 'contracts', 'lib']
/** The folders of the core. */
const CORE = [...BELOW_SERVERS, 'options', 'store-client', 'authorization-server', 'resource-server', 'stores/memory']
/**
 * What features import beside what they share: functions without state of the core. Everything with state they get through the types
 * of feature.ts, and what one has for another too.
 */
const FEATURE: Rule = {
  mayImport: [
    'contracts',
    'lib',
    'web',
    'samples',
    'applications',
    'http',
    'options/checks',
    'options/read-apis',
    'options/read-metadata-schema',
  ],
  mayImportTypes: ['feature', 'index', 'options/settings', 'rate-limits'],
}

/** The types of what `auth` has of each feature. */
const FEATURE_TYPES = ['emails', 'imports', 'plans', 'portal', 'registration', 'usage'].map(
  (name) => `features/${name}/index`,
)

/** What each folder and each file at the root of src may import, beside itself: docs/architecture.md explains it. */
const RULES: Readonly<Record<string, Rule>> = {
  contracts: { mayImport: [] },
  lib: { mayImport: [] },
  options: { mayImport: ['contracts', 'lib'], mayImportTypes: ['feature'] },
  // Look, frame, brand, theme, language and scripts that pages share.
  web: {
    mayImport: ['contracts', 'lib', 'samples', 'options/checks', 'http/request'],
    mayImportTypes: ['options/options'],
  },
  http: { mayImport: ['contracts/denial', 'contracts/errors', 'lib'], mayImportTypes: ['contracts/events'] },
  // Documents are read alike by the console and by guards.
  openapi: { mayImport: ['contracts', 'lib'] },
  // Express's routes are read alike by guards of documents, expectSecured() and usage().
  'express-routes': { mayImport: ['lib'] },
  // Runs in browsers too: no module of Node.
  samples: { mayImport: ['lib'] },
  'stores/sql': { mayImport: ['contracts'] },
  // Declarations of programs name the types of a store by its subpath, so a store refers to that.
  'stores/memory': { mayImport: ['contracts', 'stores/sql/cursor'], mayImportTypes: ['store'] },
  'stores/sqlite': { mayImport: ['contracts', 'stores/sql'], mayImportTypes: ['store'] },
  'stores/postgres': { mayImport: ['contracts', 'stores/sql'], mayImportTypes: ['store'] },
  'store-client': { mayImport: ['contracts', 'lib'] },
  'rate-limits': { mayImport: ['contracts', 'lib'], mayImportTypes: ['options/options'] },
  tokens: { mayImport: ['contracts', 'lib'], mayImportTypes: ['options/settings'] },
  applications: { mayImport: ['contracts', 'lib'] },
  'authorization-server': { mayImport: BELOW_SERVERS },
  // Guards have options of their own, which are checked like those of the platform.
  'resource-server': {
    mayImport: [...BELOW_SERVERS, 'options/checks', 'options/read-report-only'],
    mayImportTypes: ['options/options'],
  },
  // The contract between core and features: types only.
  feature: {
    mayImport: [],
    mayImportTypes: [...BELOW_SERVERS, 'options/settings', 'store-client/client-limits'],
  },
  'features/emails': FEATURE,
  'features/imports': FEATURE,
  'features/plans': FEATURE,
  'features/portal': FEATURE,
  'features/registration': FEATURE,
  'features/usage': { ...FEATURE, mayImport: [...FEATURE.mayImport, 'express-routes'] },
  // The steps of createPlatformAuth().
  platform: { mayImport: CORE, mayImportTypes: ['feature'] },
  'platform-auth': { mayImport: ['platform', ...CORE], mayImportTypes: ['feature'] },
  // Types only.
  store: { mayImport: ['contracts'] },
  index: { mayImport: ['platform-auth', 'platform', ...CORE], mayImportTypes: ['feature'] },
  // Tools.
  admin: {
    mayImport: [
      'applications',
      'tokens',
      'features/emails/store-calls',
      'features/plans/store-calls',
      'features/usage/store-calls',
      'contracts',
      'lib',
      'options/checks',
      'options/read-metadata-schema',
      'options/read-persistence',
    ],
    // The subpaths by which declarations of programs name the types.
    mayImportTypes: [...FEATURE_TYPES, 'index', 'store'],
  },
  'document-guards': {
    mayImport: ['index', 'contracts', 'lib', 'openapi', 'express-routes'],
    mayImportTypes: ['resource-server/guard-parts'],
  },
  console: { mayImport: ['index', 'lib', 'openapi', 'samples', 'web'], mayImportTypes: FEATURE_TYPES },
  // The script of references. It runs in browsers, so the build bundles it, and nothing imports it.
  'console/browser': { mayImport: ['samples', 'lib'] },
  // The command line opens what --db names.
  cli: {
    mayImport: [
      'index',
      'store',
      'admin',
      'lib',
      'contracts/platform-parts',
      'options/defaults',
      'store-client/store-faults',
      'store-client/processes',
      'stores/sqlite/index',
      'stores/postgres/index',
    ],
    mayImportTypes: [...FEATURE_TYPES, 'platform/core-auth'],
  },
  opentelemetry: { mayImport: ['index', 'lib'], mayImportTypes: FEATURE_TYPES },
  testing: {
    mayImport: ['index', 'store', 'lib', 'openapi', 'express-routes', 'contracts/platform-parts'],
    mayImportTypes: [...FEATURE_TYPES, 'platform/core-auth', 'resource-server/decisions'],
  },
}

/** What browsers run too imports no module of Node. */
const IN_BROWSERS = ['samples', 'console/browser']

/** The files, or the folders with a slash at the end, that may import a package. No other package is imported. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  jose: ['tokens/', 'store-client/encryption.ts'],
  passport: ['resource-server/'],
  'passport-headerapikey': ['resource-server/'],
  'passport-http-bearer': ['resource-server/'],
  'rate-limiter-flexible': ['rate-limits/'],
  '@node-rs/argon2': ['features/imports/slow-hashes.ts'],
  '@node-rs/bcrypt': ['features/imports/slow-hashes.ts'],
  '@opentelemetry/api': ['opentelemetry/'],
  '@photostructure/sqlite': ['stores/sqlite/'],
  pg: ['cli/'],
  marked: ['console/reference/markdown.ts'],
  yaml: ['openapi/yaml.ts'],
}

const ROOT_FILES = ['feature.ts', 'index.ts', 'platform-auth.ts', 'store.ts']
const MAX_ROOT_ENTRIES = 28
/** A little more than the 250 of CONTRIBUTING.md is better than two files that are read together. */
const MAX_FILE_LINES = 260
const MAX_FUNCTION_LINES = 60
/** For a function that consists of others: only its lines outside of them count towards MAX_FUNCTION_LINES. */
const MAX_FACTORY_LINES = 120
const FORMATTING_EXCEPTION = /\/[/*] (?:prettier|oxfmt)-ignore/
const VAGUE_NAMES = /(?:^|\/)(?:types|utils?|common|helpers?|manager|misc)(?:\.ts|\/)/

describe('the architecture of src', () => {
  const files = readSourceFiles()

  it('has files', () => {
    expect(files.map(({ path }) => path)).toContain('index.ts')
  })

  it('imports only what each folder may import', () => {
    expect(files.flatMap(checkImports)).toEqual([])
  })

  it('has no import cycle', () => {
    expect(findCycles(files)).toEqual([])
  })

  it('has no file and no function that is too long', () => {
    expect(files.flatMap(checkLength)).toEqual([])
    expect(files.flatMap(checkFunctions)).toEqual([])
  })

  it('is written as the formatter writes it, without exceptions, as tests, the example app and the docs are', () => {
    const root = fileURLToPath(new URL('../', import.meta.url))
    const paths = ['src', 'test', 'example-app', 'docs', '.build'].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((path) => /^(?!.*node_modules).*\.(?:[cm]?[jt]sx?|css)$/.test(path))
        .map((path) => join(folder, path)),
    )
    const excepted = paths.filter((path) => FORMATTING_EXCEPTION.test(readFileSync(join(root, path), 'utf8')))
    expect(excepted).toEqual([])
    expect(paths.length).toBeGreaterThan(1000)
  })

  it('has named exports only, and no vague file names', () => {
    expect(files.flatMap(checkExportsAndName)).toEqual([])
  })

  it('has four files at its root, and few folders', () => {
    expect(checkRoot(readdirSync(fileURLToPath(new URL('../src/', import.meta.url))))).toEqual([])
  })

  it('has a rule for each folder, and no rule without one', () => {
    expect([...new Set(files.map(({ path }) => findRuleName(path)))].toSorted()).toEqual(Object.keys(RULES).toSorted())
  })
})

describe('an import is refused', () => {
  it.each([
    [
      'contracts/errors.ts',
      `import type { Guard } from '../resource-server/guards.js'`,
      'contracts may import nothing',
    ],
    ['contracts/api.ts', `import { createPlatformAuth } from '../platform-auth.js'`, 'contracts may import nothing'],
    ['contracts/api.ts', `import { html } from '../web/html.js'`, 'contracts may import nothing'],
    ['lib/once.ts', `import type { Api } from '../contracts/api.js'`, 'lib may import nothing'],
    [
      'options/read-options.ts',
      `import { memoryStore } from '../stores/memory/index.js'`,
      'options may import contracts, lib, feature (types)',
    ],
    [
      'applications/records/registry.ts',
      `import { sign } from '../../tokens/access-token.js'`,
      'applications may import contracts, lib',
    ],
    [
      'applications/records/registry.ts',
      `import type { Settings } from '../../options/settings.js'`,
      'applications may import contracts, lib',
    ],
    ['tokens/create.ts', `import { readLimit } from '../options/checks.js'`, 'options/settings (types)'],
    ['tokens/create.ts', `import { readApis } from '../options/settings.js'`, 'options/settings (types)'],
    ['tokens/access-token.ts', `export { createRegistry } from '../applications/registry.js'`, 'tokens may import'],
    ['tokens/access-token.ts', `import { sendJson } from '../http/respond.js'`, 'tokens may import'],
    [
      'stores/sqlite/index.ts',
      `import type { Encryption } from '../../store-client/encryption.js'`,
      'stores/sqlite may',
    ],
    ['stores/sqlite/index.ts', `const { x } = await import('../../applications/registry.js')`, 'stores/sqlite may'],
    ['stores/sqlite/index.ts', `import { connect } from '../postgres/connection.js'`, 'stores/sqlite may'],
    ['stores/memory/index.ts', `import { readRow } from '../sql/rows.js'`, 'stores/memory may import contracts'],
    [
      'http/respond.ts',
      `import type { Store } from '../contracts/store.js'`,
      'http may import contracts/denial, contracts/errors, lib',
    ],
    [
      'store-client/readiness.ts',
      `type Cache = import('../applications/application-cache.js').ApplicationCache`,
      'store-client may',
    ],
    ['rate-limits/create.ts', `import { ALGORITHMS } from '../options/options.js'`, 'options/options (types)'],
    ['features/emails/worker.ts', `import { sendMail } from '../portal/router.js'`, 'features/emails may import'],
    [
      'authorization-server/router.ts',
      `import {\n  type Guard,\n} from '../resource-server/guards.js'`,
      'authorization-server may',
    ],
    ['resource-server/guards.ts', `import '../authorization-server/router.js'`, 'resource-server may import'],
    [
      'features/registration/router.ts',
      `import { sign } from '../../tokens/access-token.js'`,
      'features/registration may import',
    ],
    [
      'features/portal/router.ts',
      `import type { Registration } from '../registration/calls.js'`,
      'features/portal may import',
    ],
    ['features/usage/index.ts', `import { createPlatformAuth } from '../../index.js'`, 'features/usage may import'],
    ['platform/features.ts', `import { usage } from '../features/usage/index.js'`, 'platform may import'],
    ['resource-server/guard.ts', `import type { Core } from '../feature.js'`, 'resource-server may import'],
    ['feature.ts', `import { readLimit } from './options/checks.js'`, 'feature may import'],
    ['platform-auth.ts', `import { accessTokenFor } from './testing/index.js'`, 'platform-auth may import'],
    [
      'admin/index.ts',
      `import { createPlatformAuth } from '../platform-auth.js'`,
      'admin may import applications, tokens, features/emails/store-calls',
    ],
    [
      'testing/index.ts',
      `import type { PlatformAuth } from '../platform-auth.js'`,
      'testing may import index, store, lib, openapi, express-routes',
    ],
    [
      'console/assets.ts',
      `import { respond } from '../http/respond.js'`,
      'console may import index, lib, openapi, samples, web',
    ],
    [
      'console/index.ts',
      `import { isCompleteKey } from './browser/checksum.js'`,
      'console may import index, lib, openapi, samples, web',
    ],
    ['console/browser/page.ts', `import { loadAssets } from '../assets.js'`, 'console/browser may import samples, lib'],
    ['console/browser/page.ts', `import { join } from 'node:path'`, 'console/browser runs in browsers'],
    ['samples/curl.ts', `import type { Api } from '../contracts/api.js'`, 'samples may import lib'],
    ['samples/curl.ts', `import { join } from 'node:path'`, 'samples runs in browsers'],
    [
      'openapi/document.ts',
      `import type { Guard } from '../resource-server/guard.js'`,
      'openapi may import contracts, lib',
    ],
    ['resource-server/guards.ts', `import { parse } from 'yaml'`, 'yaml may be imported in openapi/yaml.ts only'],
    [
      'cli/database.ts',
      `import { connect } from '../stores/postgres/connection.js'`,
      'cli may import index, store, admin, lib',
    ],
    [
      'opentelemetry/spans.ts',
      `import type { PlatformEvent } from '../contracts/events.js'`,
      'opentelemetry may import index, lib',
    ],
    ['index.ts', `export { observe } from './opentelemetry/index.js'`, 'index may import'],
    ['attic/old.ts', `import { respond } from '../http/respond.js'`, 'there is no rule for attic'],
    [
      'tokens/rotation-timer.ts',
      `import { trace } from '@opentelemetry/api'`,
      '@opentelemetry/api may be imported in opentelemetry/',
    ],
    ['tokens/rotation-timer.ts', `import { Passport } from 'passport'`, 'passport may be imported in resource-server/'],
    ['authorization-server/router.ts', `import type { Strategy } from 'passport-http-bearer'`, 'in resource-server/'],
    [
      'store-client/bounded-store.ts',
      `import { jwtVerify } from 'jose'`,
      'jose may be imported in tokens/, store-client/encryption.ts',
    ],
    ['http/respond.ts', `import { jwtVerify } from 'jose/jwt/verify'`, 'jose may be imported in'],
    ['stores/postgres/index.ts', `const pg = require('pg')`, 'pg may be imported in cli/'],
    ['applications/records/registry.ts', `import { Router } from 'express'`, 'express may be imported nowhere'],
    [
      'resource-server/bearer-strategy.ts',
      `import { type Request, Router } from 'express'`,
      'express may be imported nowhere',
    ],
    ['authorization-server/router.ts', `import { Router } from 'express'`, 'express may be imported nowhere'],
    [
      'tokens/rotation-timer.ts',
      `import { memoryStore } from 'express-platform-auth'`,
      'express-platform-auth may be imported nowhere',
    ],
  ])('in %s: %s', (path, source, reason) => {
    const violations = checkImports(parseSourceFile(path, source))
    expect(violations).toHaveLength(1)
    expect(violations[0]).toContain(`${path} imports `)
    expect(violations[0]).toContain(reason)
  })
})

describe('an import is allowed', () => {
  it.each([
    [
      'tokens/access-token.ts',
      `import { OAuthError } from '../contracts/errors.js'\nimport { find } from './signing-keys.js'`,
    ],
    [
      'tokens/access-token.ts',
      `import type { Settings } from '../options/settings.js'\nimport { CompactSign } from 'jose'`,
    ],
    ['store-client/encryption.ts', `import { CompactEncrypt } from 'jose'`],
    ['resource-server/bearer-strategy.ts', `import { Strategy } from 'passport-http-bearer'`],
    ['testing/index.ts', `import { memoryStore } from '../index.js'`],
    ['cli/database.ts', `import { sqliteStore } from '../stores/sqlite/index.js'`],
    ['stores/postgres/rows.ts', `import { readRow } from '../sql/rows.js'`],
    ['opentelemetry/spans.ts', `import { trace } from '@opentelemetry/api'`],
    ['contracts/events.ts', `import { EventEmitter } from 'node:events'`],
    [
      'contracts/errors.ts',
      `/**\n * import { guard } from '../resource-server/guards.js'\n */\nimport { show } from './api.js'`,
    ],
    ['contracts/errors.ts', `const text = "import { guard } from '../resource-server/guards.js'"`],
  ])('in %s: %s', (path, source) => {
    expect(checkImports(parseSourceFile(path, source))).toEqual([])
  })
})

describe('a cycle is found', () => {
  const parse = (sources: Record<string, string>): SourceFile[] =>
    Object.entries(sources).map(([path, source]) => parseSourceFile(path, source))

  it('across folders, through types and through several files', () => {
    const cycle = parse({
      'http/a.ts': `import './b.js'`,
      'http/b.ts': `import type { C } from '../lib/c.js'`,
      'lib/c.ts': `export { a } from '../http/a.js'`,
    })
    expect(findCycles(cycle)).toEqual(['http/a.ts imports http/b.ts imports lib/c.ts imports http/a.ts'])
  })

  it('but none where two files import a third', () => {
    const diamond = parse({ 'a/a.ts': `import './b.js'\nimport './c.js'`, 'a/b.ts': `import './c.js'`, 'a/c.ts': '' })
    expect(findCycles(diamond)).toEqual([])
  })
})

describe('a function is refused', () => {
  const lines = (count: number): string => 'call()\n'.repeat(count)
  const check = (source: string, path = 'http/form.ts'): string[] => checkFunctions(parseSourceFile(path, source))

  it('of more than 60 lines', () => {
    expect(check(`function f() {\n${lines(58)}}`)).toEqual([])
    expect(check(`function f() {\n${lines(59)}}`)).toEqual([
      'http/form.ts:1: f has 61 lines of its own; a function has at most 60.',
    ])
    expect(check(`\nconst f = () => {\n${lines(59)}}`)).toEqual([
      'http/form.ts:2: an arrow function has 61 lines of its own; a function has at most 60.',
    ])
  })

  it('that consists of short functions, and has more than 120 lines', () => {
    const method = `m() {\n${lines(38)}}`
    expect(check(`function create() {\nreturn {\n${method},\n${method}}\n}`)).toEqual([])
    expect(check(`function create() {\nreturn {\n${method},\n${method},\n${method}}\n}`)).toEqual([
      'http/form.ts:1: create has 123 lines with the functions in it; a factory has at most 120.',
    ])
  })
})

describe('a file is refused', () => {
  it('of more than 260 lines', () => {
    expect(checkLength(parseSourceFile('http/form.ts', 'call()\n'.repeat(260)))).toEqual([])
    expect(checkLength(parseSourceFile('http/form.ts', 'call()\n'.repeat(261)))).toEqual([
      'http/form.ts has 261 lines; a file has at most 260.',
    ])
  })

  it.each([
    ['authorization-server/router.ts', `export default function router() {}`, 'has a default export'],
    ['authorization-server/router.ts', `const router = 1\nexport { router as default }`, 'has a default export'],
    ['index.ts', `export * from './platform-auth.js'`, 'exports without naming'],
    ['http/types.ts', '', 'has a vague name'],
    ['lib/utils.ts', '', 'has a vague name'],
    ['common/form.ts', '', 'has a vague name'],
  ])('%s: %s', (path, source, reason) => {
    expect(checkExportsAndName(parseSourceFile(path, source))).toEqual([expect.stringContaining(`${path} ${reason}`)])
  })

  it('at the root of src, beside those that it names', () => {
    expect(checkRoot([...ROOT_FILES, 'http', 'guards.ts'])).toEqual([
      'guards.ts is at the root of src, where only feature.ts, index.ts, platform-auth.ts, store.ts may be.',
    ])
    const folders = Array.from({ length: 25 }, (_, number) => `folder-${number}`)
    expect(checkRoot([...ROOT_FILES, ...folders])).toEqual(['src has 29 entries; it has at most 28.'])
  })
})

function checkImports({ path, imports }: SourceFile): string[] {
  return imports.flatMap((each) => {
    const reason = explainRefusal(path, each)
    return reason === undefined ? [] : [`${path} imports ${each.target}, but ${reason}.`]
  })
}

/** Why a file may not have that import; undefined where it may. */
function explainRefusal(path: string, { target, kind, typeOnly }: Import): string | undefined {
  if (kind === 'node')
    return IN_BROWSERS.includes(findRuleName(path)) ? `${findRuleName(path)} runs in browsers` : undefined
  if (kind === 'package') {
    const allowed = PACKAGES[target] ?? []
    if (allowed.some((place) => path === place || (place.endsWith('/') && path.startsWith(place)))) return undefined
    return `${target} may be imported ${allowed.length > 0 ? `in ${allowed.join(', ')} only` : 'nowhere'}`
  }
  const name = findRuleName(path)
  const rule = RULES[name]
  if (!rule) return `there is no rule for ${name}`
  const { mayImport, mayImportTypes = [] } = rule
  const targets = [findRuleName(target), target.replace(/\.ts$/, '')]
  if (targets.includes(name) || targets.some((each) => mayImport.includes(each))) return undefined
  if (typeOnly && targets.some((each) => mayImportTypes.includes(each))) return undefined
  const allowed = [...mayImport, ...mayImportTypes.map((each) => `${each} (types)`)].join(', ')
  return `${name} may import ${allowed === '' ? 'nothing' : allowed}`
}

/** The folder; of stores, the store; of features, the feature; of the console, its script; at the root, the file. */
function findRuleName(path: string): string {
  const [first = '', second = ''] = path.split('/')
  if (['stores', 'features'].includes(first) || path.startsWith('console/browser/')) return `${first}/${second}`
  return first.replace(/\.ts$/, '')
}

/** Each cycle once, beginning where it was met first. */
function findCycles(files: readonly SourceFile[]): string[] {
  const byPath = new Map(files.map((file) => [file.path, file]))
  const done = new Set<string>()
  const cycles: string[] = []

  function visit(path: string, trail: readonly string[]): void {
    const start = trail.indexOf(path)
    if (start !== -1) cycles.push([...trail.slice(start), path].join(' imports '))
    if (start !== -1 || done.has(path)) return
    for (const { kind, target } of byPath.get(path)?.imports ?? []) {
      if (kind === 'file') visit(target, [...trail, path])
    }
    done.add(path)
  }

  for (const { path } of files) visit(path, [])
  return cycles
}

function checkLength({ path, lines }: SourceFile): string[] {
  return lines > MAX_FILE_LINES ? [`${path} has ${lines} lines; a file has at most ${MAX_FILE_LINES}.`] : []
}

function checkFunctions({ path, functions }: SourceFile): string[] {
  return functions.flatMap(({ name, line, lines, ownLines }) => {
    if (lines > MAX_FACTORY_LINES) {
      return [
        `${path}:${line}: ${name} has ${lines} lines with the functions in it; a factory has at most ${MAX_FACTORY_LINES}.`,
      ]
    }
    if (ownLines <= MAX_FUNCTION_LINES) return []
    return [`${path}:${line}: ${name} has ${ownLines} lines of its own; a function has at most ${MAX_FUNCTION_LINES}.`]
  })
}

function checkExportsAndName({ path, hasDefaultExport, hasUnnamedExport }: SourceFile): string[] {
  return [
    // A declaration file describes the exports of another package.
    ...(hasDefaultExport && !path.endsWith('.d.ts') ? [`${path} has a default export; exports have names.`] : []),
    ...(path === 'index.ts' && hasUnnamedExport ? [`${path} exports without naming what.`] : []),
    ...(VAGUE_NAMES.test(path) ? [`${path} has a vague name; a file is named after its one concept.`] : []),
  ]
}

function checkRoot(entries: readonly string[]): string[] {
  const others = entries.filter((entry) => entry.endsWith('.ts') && !ROOT_FILES.includes(entry))
  return [
    ...others.map((entry) => `${entry} is at the root of src, where only ${ROOT_FILES.join(', ')} may be.`),
    ...(entries.length > MAX_ROOT_ENTRIES
      ? [`src has ${entries.length} entries; it has at most ${MAX_ROOT_ENTRIES}.`]
      : []),
  ]
}
