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

/** The layers: a folder may import what stands before its own. */
const LAYERS = {
  shared: ['shared/contracts', 'shared/lib', 'shared/samples', 'shared/web', 'shared/openapi', 'shared/express-routes'],
  stores: ['shared/contracts', 'shared/lib/own-members', 'stores/sql'],
  core: ['shared/contracts', 'shared/lib'],
  features: ['shared/contracts', 'shared/lib', 'shared/samples', 'shared/web', 'shared/express-routes'],
  tools: [
    'index',
    'store',
    'shared/contracts',
    'shared/lib',
    'shared/samples',
    'shared/web',
    'shared/openapi',
    'shared/express-routes',
  ],
}
/** What tokens and the two servers import of the core. */
const BELOW_SERVERS = [
  'core/applications',
  'core/key-sets',
  'core/tokens',
  'core/http',
  'core/rate-limits',
  ...LAYERS.core,
]
/** The folders of the core, without its uppermost one. */
const CORE = [
  ...BELOW_SERVERS,
  'core/options',
  'core/store-client',
  'core/authorization-server',
  'core/resource-server',
  'stores/memory',
]
/** Functions without state of the core. Everything with state, and what one feature has for another, they get through the types of feature.ts. */
const FEATURE: Rule = {
  mayImport: [
    ...LAYERS.features,
    'core/applications',
    'core/http',
    'core/options/read-apis',
    'core/options/read-metadata-schema',
  ],
  mayImportTypes: ['feature', 'index', 'core/options/settings', 'core/rate-limits'],
}
/** Declarations of programs name the types of a store by its subpath, so a store refers to that. */
const STORE: Rule = { mayImport: LAYERS.stores, mayImportTypes: ['store'] }
/** Tools take a platform. */
const FEATURES = ['emails', 'imports', 'plans', 'portal', 'registration', 'usage']
const FEATURE_INDEXES = FEATURES.map((name) => `features/${name}/index`)
const TOOL: Rule = { mayImport: LAYERS.tools, mayImportTypes: FEATURE_INDEXES }

/** What each folder and each file at the root of src may import, beside itself: docs/architecture.md explains it. */
const RULES: Readonly<Record<string, Rule>> = {
  'shared/contracts': { mayImport: [] },
  'shared/lib': { mayImport: ['shared/contracts'] },
  'shared/web': { mayImport: ['shared/contracts', 'shared/lib', 'shared/samples'] },
  'shared/openapi': { mayImport: ['shared/contracts', 'shared/lib'] },
  'shared/express-routes': { mayImport: ['shared/lib'] },
  // Runs in browsers too: no module of Node.
  'shared/samples': { mayImport: ['shared/lib'] },
  'stores/sql': { mayImport: LAYERS.stores },
  'stores/memory': STORE,
  'stores/sqlite': STORE,
  'stores/postgres': STORE,
  'core/options': { mayImport: LAYERS.core, mayImportTypes: ['feature'] },
  'core/http': { mayImport: LAYERS.core },
  'core/store-client': { mayImport: LAYERS.core },
  'core/rate-limits': { mayImport: LAYERS.core, mayImportTypes: ['core/options/options'] },
  'core/tokens': { mayImport: LAYERS.core, mayImportTypes: ['core/options/settings'] },
  'core/applications': { mayImport: ['core/key-sets', ...LAYERS.core] },
  'core/key-sets': { mayImport: LAYERS.core },
  'core/authorization-server': { mayImport: BELOW_SERVERS },
  // Guards have options of their own, which are checked like those of the platform.
  'core/resource-server': {
    mayImport: [...BELOW_SERVERS, 'core/options/read-report-only'],
    mayImportTypes: ['core/options/options'],
  },
  // createPlatformAuth() and its steps.
  'core/platform': { mayImport: CORE, mayImportTypes: ['feature'] },
  // Types only: the contract between core and features, and what a store implements.
  feature: {
    mayImport: [],
    mayImportTypes: [...BELOW_SERVERS, 'core/options/settings', 'core/store-client/client-limits'],
  },
  store: { mayImport: ['shared/contracts'] },
  index: { mayImport: ['core/platform', ...CORE], mayImportTypes: ['feature'] },
  ...Object.fromEntries(FEATURES.map((name) => [`features/${name}`, FEATURE])),
  'tools/console': TOOL,
  // The script of references. It runs in browsers, so the build bundles it, and nothing imports it.
  'tools/console/browser': { mayImport: ['shared/samples', 'shared/lib'] },
  'tools/opentelemetry': TOOL,
  'tools/testing': {
    mayImport: LAYERS.tools,
    mayImportTypes: [...FEATURE_INDEXES, 'core/platform/core-auth', 'core/resource-server/guard-decisions'],
  },
  'tools/document-guards': { mayImport: LAYERS.tools, mayImportTypes: ['core/resource-server/guards'] },
  // Operations that need a store alone.
  'tools/admin': {
    mayImport: [
      ...LAYERS.tools,
      'core/applications',
      'core/tokens',
      'core/options/read-metadata-schema',
      'core/options/read-persistence',
      'features/emails/email-queue',
      'features/plans/plans-calls',
      'features/usage/usage-calls',
    ],
    // The subpaths by which declarations of programs name the types.
    mayImportTypes: [...FEATURE_INDEXES, 'index', 'store'],
  },
  // What operators can do, without commands, HTTP or pages.
  'tools/operations': TOOL,
  // Operations over HTTP.
  'tools/management': {
    mayImport: [
      ...LAYERS.tools,
      'tools/operations',
      'core/http/json-body',
      'core/http/middleware',
      'core/http/refused-upload',
      'core/http/respond',
    ],
    mayImportTypes: ['core/platform/core-auth', 'core/applications'],
  },
  // Its forms are the operations; it reads requests and answers as features do.
  'tools/operator': {
    mayImport: [...LAYERS.tools, 'tools/operations', 'core/http'],
    mayImportTypes: [...FEATURE_INDEXES, 'core/platform/core-auth', 'feature'],
  },
  // The guards of a platform that runs elsewhere: a second composition of the core, without a store and endpoints, that counts as features do.
  'tools/remote': {
    mayImport: [
      ...LAYERS.tools,
      'core/applications',
      'core/http',
      'core/options',
      'core/platform/events',
      'core/rate-limits',
      'core/resource-server',
      'core/store-client',
      'core/tokens',
      'features/usage/collector',
      'features/usage/route-counts',
      'features/plans/ledger',
      'features/plans/limiter',
      'features/plans/plan',
      'features/plans/shared-counts',
    ],
    mayImportTypes: ['core/platform/core-auth'],
  },
  // The command line opens what --db names.
  'tools/cli': {
    mayImport: [
      ...LAYERS.tools,
      'tools/admin',
      'tools/operations',
      'core/options/options',
      'core/applications/contacts/contact-lists',
      'core/store-client/processes',
      'core/store-client/store-faults',
      'stores/sqlite/index',
      'stores/postgres/index',
    ],
    mayImportTypes: [...FEATURE_INDEXES, 'core/platform/core-auth'],
  },
}

/** What browsers run too imports no module of Node. */
const IN_BROWSERS = ['shared/samples', 'tools/console/browser']

/** The files, or the folders with a slash at the end, that may import a package. No other package is imported. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  jose: ['core/tokens/', 'core/store-client/encryption.ts'],
  passport: ['core/resource-server/'],
  'passport-headerapikey': ['core/resource-server/'],
  'passport-http-bearer': ['core/resource-server/'],
  '@node-rs/argon2': ['features/imports/imported-hashes.ts'],
  '@node-rs/bcrypt': ['features/imports/imported-hashes.ts'],
  '@opentelemetry/api': ['tools/opentelemetry/'],
  '@photostructure/sqlite': ['stores/sqlite/'],
  pg: ['tools/cli/'],
  marked: ['tools/console/reference/markdown.ts'],
  tlds: ['shared/lib/followable.ts'],
  yaml: ['shared/openapi/read-document.ts'],
  zod: ['tools/operations/'],
}

/** Makes the bounded store of the raw one. */
const RAW_STORE_READER = 'core/platform/foundation.ts'
const ROOT_ENTRIES = ['core', 'feature.ts', 'features', 'index.ts', 'shared', 'store.ts', 'stores', 'tools']
const MAX_FILE_LINES = 320
const MAX_FUNCTION_LINES = 60
/** For a function that consists of others: only its lines outside of them count towards MAX_FUNCTION_LINES. */
const MAX_FACTORY_LINES = 120
/** What requests pass: an object for the arguments would be made for each. The first two are not on that path, and are to go. */
const MANY_PARAMETERS: readonly string[] = [
  'core/http/respond.ts: sendPage',
  'core/resource-server/allow.ts: passIfAllowed',
  'core/resource-server/passport-adapter.ts: a method',
  'core/resource-server/request-counter.ts: passIfCounted',
]
/** Numbers that only fall, but for what a new feature brings. */
const AT_MOST = { lines: 67394, files: 569, filesOfCore: 138, spreadBags: 15, internalOptions: 17 }
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

  it('calls the raw store, which has no time-outs, in its client only', () => {
    expect(files.flatMap(checkRawStore)).toEqual([])
  })

  it('has at most five positional parameters, except where a request passes', () => {
    const many = files.flatMap(({ path, functions }) =>
      functions.filter(({ parameters }) => parameters > 5).map(({ name }) => `${path}: ${name}`),
    )
    expect(many.toSorted()).toEqual(MANY_PARAMETERS)
  })

  it('has no more lines, files, spread bags and interfaces of options than before', () => {
    const core = files.filter(({ path }) => path.startsWith('core/'))
    const texts = files.map(({ path }) =>
      readFileSync(fileURLToPath(new URL(`../src/${path}`, import.meta.url)), 'utf8'),
    )
    const count = (pattern: RegExp): number => texts.reduce((sum, text) => sum + (text.match(pattern)?.length ?? 0), 0)
    const counted: typeof AT_MOST = {
      lines: files.reduce((sum, { lines }) => sum + lines, 0),
      files: files.length,
      filesOfCore: core.length,
      spreadBags: count(/\.\.\.(?:core|shared|foundation|settings)\b/g),
      internalOptions: count(/^interface \w+Options\b/gm),
    }
    for (const [name, most] of Object.entries(AT_MOST))
      expect(counted[name as keyof typeof AT_MOST], name).toBeLessThanOrEqual(most)
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

  it('has three files and the five kinds of folders at its root', () => {
    expect(checkRoot(readdirSync(fileURLToPath(new URL('../src/', import.meta.url))))).toEqual([])
  })

  it('has a rule for each folder, and no rule without one', () => {
    expect([...new Set(files.map(({ path }) => findRuleName(path)))].toSorted()).toEqual(Object.keys(RULES).toSorted())
  })
})

describe('an import is refused', () => {
  it.each([
    ['shared/contracts/api.ts', `import { html } from '../web/html.js'`, 'shared/contracts may import nothing'],
    ['shared/lib/day.ts', `import { html } from '../web/html.js'`, 'shared/lib may import shared/contracts'],
    ['core/tokens/tokens.ts', `import { readApis } from '../options/settings.js'`, 'core/options/settings (types)'],
    ['core/tokens/tokens.ts', `export { create } from '../applications/registry.js'`, 'core/tokens may import'],
    ['core/http/respond.ts', `import type { Settings } from '../options/settings.js'`, 'core/http may import'],
    ['core/http/respond.ts', `type Cache = import('../applications/cache.js').Cache`, 'core/http may import'],
    ['core/resource-server/guards.ts', `import '../authorization-server/router.js'`, 'core/resource-server may import'],
    ['core/resource-server/guards.ts', `import {\n  type Core,\n} from '../../feature.js'`, 'core/resource-server may'],
    ['core/platform/features.ts', `import { usage } from '../../features/usage/index.js'`, 'core/platform may import'],
    ['features/emails/worker.ts', `import { sendMail } from '../portal/router.js'`, 'features/emails may import'],
    ['features/usage/index.ts', `import { createPlatformAuth } from '../../index.js'`, 'features/usage may import'],
    ['stores/sqlite/index.ts', `import { connect } from '../postgres/connection.js'`, 'stores/sqlite may import'],
    ['stores/sqlite/index.ts', `const { x } = await import('../../core/http/respond.js')`, 'stores/sqlite may import'],
    ['tools/console/assets.ts', `import { respond } from '../../core/http/respond.js'`, 'tools/console may import'],
    ['tools/console/index.ts', `import { isCompleteKey } from './browser/checksum.js'`, 'tools/console may import'],
    ['tools/console/browser/page.ts', `import { join } from 'node:path'`, 'tools/console/browser runs in browsers'],
    ['shared/samples/curl.ts', `import { join } from 'node:path'`, 'shared/samples runs in browsers'],
    ['index.ts', `export { observe } from './tools/opentelemetry/index.js'`, 'index may import'],
    ['feature.ts', `import { readUrl } from './core/options/read-urls.js'`, 'feature may import'],
    ['attic/old.ts', `import { respond } from '../core/http/respond.js'`, 'there is no rule for attic'],
    ['core/http/respond.ts', `import { parse } from 'yaml'`, 'may be imported in shared/openapi/read-document.ts only'],
    ['core/http/respond.ts', `import { jwtVerify } from 'jose/jwt/verify'`, 'jose may be imported in core/tokens/'],
    ['stores/postgres/index.ts', `const pg = require('pg')`, 'pg may be imported in tools/cli/'],
    ['core/http/respond.ts', `import { type Request, Router } from 'express'`, 'express may be imported nowhere'],
    ['core/http/respond.ts', `import { memoryStore } from 'express-platform-auth'`, 'may be imported nowhere'],
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
      'core/tokens/access-token.ts',
      `import { OAuthError } from '../../shared/contracts/errors.js'\nimport { find } from './signing-keys.js'`,
    ],
    [
      'core/tokens/access-token.ts',
      `import type { Settings } from '../options/settings.js'\nimport { CompactSign } from 'jose'`,
    ],
    ['core/store-client/encryption.ts', `import { CompactEncrypt } from 'jose'`],
    ['core/resource-server/bearer-strategy.ts', `import { Strategy } from 'passport-http-bearer'`],
    ['tools/testing/index.ts', `import { memoryStore } from '../../index.js'`],
    ['tools/cli/target.ts', `import { sqliteStore } from '../../stores/sqlite/index.js'`],
    ['stores/postgres/rows.ts', `import { readRow } from '../sql/rows.js'`],
    ['tools/opentelemetry/spans.ts', `import { trace } from '@opentelemetry/api'`],
    ['shared/contracts/events.ts', `import { EventEmitter } from 'node:events'`],
    [
      'shared/contracts/errors.ts',
      `/**\n * import { guard } from '../../core/resource-server/guards.js'\n */\nimport { show } from './api.js'`,
    ],
    ['shared/contracts/errors.ts', `const text = "import { guard } from '../../core/resource-server/guards.js'"`],
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

describe('a file that reads the raw store is refused', () => {
  it.each([
    'settings.store?.listApplications()',
    'const { store } = foundation.settings',
    'const { settings: { store } } = foundation',
    'function start({ store }: Settings) {}',
    'const start = ({ store = undefined }: Settings) => store',
    'async function start({ settings: { store } }) {}',
  ])('%s', (source) => {
    expect(checkRawStore(parseSourceFile('core/platform/start-and-stop.ts', source))).toHaveLength(1)
    expect(checkRawStore(parseSourceFile(RAW_STORE_READER, source))).toEqual([])
  })
})

describe('a file is refused', () => {
  it('of more than 320 lines', () => {
    expect(checkLength(parseSourceFile('http/form.ts', 'call()\n'.repeat(320)))).toEqual([])
    expect(checkLength(parseSourceFile('http/form.ts', 'call()\n'.repeat(321)))).toEqual([
      'http/form.ts has 321 lines; a file has at most 320.',
    ])
  })

  it.each([
    ['authorization-server/routes.ts', `export default function router() {}`, 'has a default export'],
    ['authorization-server/routes.ts', `const router = 1\nexport { router as default }`, 'has a default export'],
    ['index.ts', `export * from './platform-auth.js'`, 'exports without naming'],
    ['stores/calls.ts', `import * as emails from './emails.js'`, 'imports without naming'],
    ['http/types.ts', '', 'has a vague name'],
    ['lib/utils.ts', '', 'has a vague name'],
    ['common/form.ts', '', 'has a vague name'],
  ])('%s: %s', (path, source, reason) => {
    expect(checkExportsAndName(parseSourceFile(path, source))).toEqual([expect.stringContaining(`${path} ${reason}`)])
  })

  it('at the root of src, beside those that it names', () => {
    expect(checkRoot([...ROOT_ENTRIES, 'guards.ts'])).toEqual([
      'guards.ts is at the root of src, where only core, feature.ts, features, index.ts, shared, store.ts, stores, tools may be.',
    ])
  })
})

/** `createPlatformAuth()` is given the raw store in its settings. */
function checkRawStore({ path, memberReads }: SourceFile): string[] {
  const readsIt = memberReads.some((read) => /^settings\.store$/i.test(read))
  return /^(?:core|features)\//.test(path) && path !== RAW_STORE_READER && readsIt
    ? [`${path} reads settings.store, the raw store; only ${RAW_STORE_READER} may.`]
    : []
}

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

/** The folder of a kind, such as `core/http`; of the console, its script; at the root, the file. */
function findRuleName(path: string): string {
  if (path.startsWith('tools/console/browser/')) return 'tools/console/browser'
  const [first = '', second = '', third] = path.split('/')
  return third === undefined ? first.replace(/\.ts$/, '') : `${first}/${second}`
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

function checkExportsAndName({ path, hasDefaultExport, hasUnnamedExport, hasUnnamedImport }: SourceFile): string[] {
  return [
    // A declaration file describes the exports of another package.
    ...(hasDefaultExport && !path.endsWith('.d.ts') ? [`${path} has a default export; exports have names.`] : []),
    ...(path === 'index.ts' && hasUnnamedExport ? [`${path} exports without naming what.`] : []),
    ...(hasUnnamedImport ? [`${path} imports without naming what.`] : []),
    ...(VAGUE_NAMES.test(path) ? [`${path} has a vague name; a file is named after its one concept.`] : []),
  ]
}

function checkRoot(entries: readonly string[]): string[] {
  return entries
    .filter((entry) => !ROOT_ENTRIES.includes(entry))
    .map((entry) => `${entry} is at the root of src, where only ${ROOT_ENTRIES.join(', ')} may be.`)
}
