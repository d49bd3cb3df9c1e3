import { execFile } from 'node:child_process'
import { readFile, readdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { dirname, join, normalize, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as esbuild from 'esbuild'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { afterAll, describe, expect, it } from 'vitest'
import { IS_LONG_LANE } from '../support/long-lane.js'
import { allPages } from '../docs/pages.js'
import { pack, readText, run } from './packed.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const { resolve } = createRequire(import.meta.url)
const EXPRESSES = { 4: 'express=express4', 5: 'express' } as const
const ANSWERS = {
  token: [200, 'bearer', 'orders:read'],
  guarded: [200, { name: 'Shop', id: '7' }],
  keyed: [200, { name: 'Shop', id: '8' }],
  refused: 401,
}

const packed = await pack()
afterAll(() => packed?.remove())

describe('the tarball', () => {
  it('contains the build, the manifest and the documents, and nothing else', async () => {
    const pages = allPages().map(({ path }) => path)
    const recipes = await readdir(join(root, 'docs/recipes'))
    const files = [...recipes.map((file) => `docs/recipes/${file}`), 'docs/grafana-dashboard.json']
    const others = ['docs/prometheus-rules.yml', 'LICENSE', 'package.json']
    const documents = [...new Set([...pages, ...files, ...others])].toSorted()
    const paths = packed.files.map(({ path }) => path)
    const built = /^dist\/(?:(?:esm|cjs)\/.+\.(?:js|d\.ts)|cjs\/package\.json|assets\/[\w.-]+)$/
    expect(paths.filter((path) => !built.test(path)).toSorted()).toEqual(documents)
    expect(paths.filter((path) => /(?:^|\/)(?:tests?|fixtures)\/|\.test\.|build/.test(path))).toEqual([])
  })

  it('contains every file of the two builds, with which the types are tested', async () => {
    for (const folder of ['dist/esm', 'dist/cjs']) {
      const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true })
      const built = entries
        .filter((entry) => entry.isFile())
        .map((entry) => relative(root, join(entry.parentPath, entry.name)))
      const paths = packed.files.map(({ path }) => path).filter((path) => path.startsWith(`${folder}/`))
      expect(paths.toSorted()).toEqual(built.toSorted())
    }
    const manifest = await readText(root, 'package.json')
    expect(await readText(packed.folder, 'package.json')).toBe(manifest)
  })

  it('has every page and file that README.md and pages for users link to', () => {
    const paths = new Set(packed.files.map(({ path }) => path))
    const pages = allPages().filter(({ path }) => paths.has(path) && path !== 'CONTRIBUTING.md')
    expect(pages.map(({ path }) => path)).toContain('docs/guards.md')
    const dead = pages.flatMap(({ path, text }) =>
      [...text.matchAll(/(?<!!)\[[^\]]*\]\(([^)#\s]+\.(?:md|json|yml|mjs|py|go))(?:#[^)]*)?\)/g)]
        .map(([, link = '']) => link)
        .filter((link) => !/^\w+:/.test(link) && !paths.has(join(dirname(path), link)))
        .map((link) => `${path}: ${link}`),
    )
    expect(dead).toEqual([])
  })

  it('contains the console’s files once, and the licences of copied packages', async () => {
    const assets = packed.files.filter(({ path }) => path.startsWith('dist/assets/'))
    expect(assets.map(({ path }) => path.replace('dist/assets/', '')).toSorted()).toEqual([
      'calls.js.gz',
      'console.css.gz',
      'console.js.gz',
      'first-use.js.gz',
      'icon.svg.gz',
      'marked.LICENSE',
      'reading.css.gz',
      'reference.css.gz',
      'reference.js.gz',
      'tlds.LICENSE',
      'zod.LICENSE',
    ])
  })

  it('has few files to load for each subpath: hundreds of modules would take twice as long', async () => {
    const code = packed.files.filter(({ path }) => /^dist\/esm\/.+\.js$/.test(path))
    // What several subpaths share is in files of its own, so that an app loads nothing of a feature that it does not use.
    // What auth.applications does is loaded late, so that what it shares with the main entry is apart from what it does not: 13 more.
    expect(code.length).toBeLessThan(107)
    const { exports } = JSON.parse(await readText(packed.folder, 'package.json')) as {
      exports: Readonly<Record<string, { readonly import?: { readonly default: string } }>>
    }
    for (const [subpath, target] of Object.entries(exports)) {
      if (!target.import) continue
      const loaded = new Set([normalize(target.import.default)])
      for (const path of loaded) {
        const imports = (await readText(packed.folder, path)).matchAll(/^(?:import|export)\b[^;]*?"(\.[^"]+)"/gm)
        for (const [, name = ''] of imports) loaded.add(join(dirname(path), name))
      }
      expect(loaded.size, subpath).toBeLessThan(54)
    }
  })

  it('is smaller than 1.75 MB packed and 6.7 MB unpacked', () => {
    expect(packed.size).toBeLessThan(1_750_000)
    expect(packed.files.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(6_700_000)
  })

  it('contains no secret, no path of the machine that built it, and no link to a missing source map', async () => {
    for (const { path } of packed.files) {
      const text = await readText(packed.folder, path)
      expect(text, path).not.toMatch(
        /PRIVATE KEY-----\s*[A-Za-z0-9+/]{40}|epa_(?:key|sec)_\w{20}|sourceMappingURL|npm_\w{30}/,
      )
      const mentions = [root, homedir()].filter(
        (folder) => path.startsWith('dist/') && text.includes(normalize(`${folder}/`)),
      )
      expect(mentions, path).toEqual([])
    }
  })

  it('has the types that its users need, and imports no types of packages that they lack', async () => {
    const declarations = packed.files.filter(({ path }) => path.endsWith('.d.ts'))
    expect(declarations.length).toBeGreaterThan(0)
    for (const { path } of declarations) {
      const code = (await readText(packed.folder, path)).replaceAll(/\/\*[\s\S]*?\*\//g, '')
      const named = [...code.matchAll(/(?:from\s|import[\s(]|types=)\s*["']([^"']+)["']/g)].map(([, name = '']) => name)
      expect(
        named.filter((name) => !/^(?:\.{1,2}\/.+\.js|node:\w+)$/.test(name)),
        path,
      ).toEqual([])
    }
  })

  it('has a CommonJS build without import(), with its own copy of jose and the licence', async () => {
    const commonJs = packed.files.filter(({ path }) => /^dist\/cjs\/.+\.js$/.test(path))
    expect(commonJs.length).toBeGreaterThan(10)
    for (const { path } of commonJs) {
      const text = await readText(packed.folder, path)
      expect(text, path).not.toMatch(/\bimport\(|require\(["']jose/)
    }
    const jose = await readText(packed.folder, 'dist/cjs/vendored/jose.js')
    expect(jose).toContain('Filip Skokan')
    expect(jose).toContain('Permission is hereby granted')
  })

  it('exports every subpath that the README names', async () => {
    const { exports } = JSON.parse(await readText(packed.folder, 'package.json')) as { exports: object }
    const readme = await readText(packed.folder, 'README.md')
    const named = [...readme.matchAll(/['"`]express-platform-auth\/([\w./-]+)['"`]/g)].map(([, path]) => `./${path}`)
    expect(named).toContain('./stores/sqlite')
    expect(Object.keys(exports)).toEqual(expect.arrayContaining(named))
  })

  it('has no problem that publint finds', async () => {
    const { buffer } = new Uint8Array(await readFile(packed.tarball))
    const { messages, pkg } = await publint({ pack: { tarball: buffer }, strict: true })
    expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).toEqual([])
  })

  // In `npm test`, typescript.integration.test.ts compiles a program with each way of finding the declarations.
  it.for(IS_LONG_LANE ? ['import and require'] : [])(
    'has no problem that "are the types wrong?" finds, for %s',
    async () => {
      const cli = join(dirname(resolve('@arethetypeswrong/cli/package.json')), 'dist/index.js')
      const { code, stdout } = await runNode(
        [cli, packed.tarball, '--no-color', '--no-emoji', '--format', 'table-flipped'],
        root,
      )
      expect(code, stdout).toBe(0)
      expect(stdout).toContain('No problems found')
    },
  )
})

it('package-lock.json names no registry and lacks no optional package of any platform', async () => {
  const text = await readText(root, 'package-lock.json')
  expect(text).not.toContain('"resolved"')
  // npm ci rejects a lock file without the optional packages of other platforms, although npm install may write one.
  const { packages } = JSON.parse(text) as { packages: Record<string, { optionalDependencies?: object }> }
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      (name) => !listModuleFolders(path).some((folder) => folder + name in packages),
    ),
  )
  expect(missing).toEqual([])
})

// In `npm test`, each version of Express with one kind of program.
it.each([
  [4, 'commonjs', 'require.cjs', []],
  [5, 'module', 'import.mjs', ['jose']],
  ...(IS_LONG_LANE
    ? ([
        [4, 'module', 'import.mjs', ['jose']],
        [5, 'commonjs', 'require.cjs', []],
      ] as const)
    : []),
] as const)('a project with Express %s of type %s answers calls, and serves the console', async (...row) => {
  const [version, type, program, packages] = row
  const programs = ['exercise.cjs', 'console.cjs', program]
  const project = await packed.consumer({ type, packages: [EXPRESSES[version], ...packages], programs })
  const files = ['icon.svg', 'console.css', 'reference.css', 'reference.js'].map((file) => [200, file, true])
  expect(await run(project, program)).toEqual({ answers: ANSWERS, console: [200, ...files] })
})

// Nothing of this depends on the version of Express: the long lane tests that too.
describe.each(IS_LONG_LANE ? ([4, 5] as const) : ([5] as const))('a project with Express %s', (version) => {
  const express = EXPRESSES[version]

  // Required, it also loads a driver that is an ES module. The tests of the stores import it.
  it.each(['require-sqlite.cjs', ...(IS_LONG_LANE ? ['import-sqlite.mjs'] : [])])(
    'uses SQLite: %s',
    async (program) => {
      const packages = [express, 'jose', '@photostructure/sqlite']
      const project = await packed.consumer({ type: 'module', packages, programs: ['exercise.cjs', program] })
      expect(await run(project, program)).toEqual(ANSWERS)
    },
  )

  it('reads with authOf() of one copy what a guard of the other copy has set', async () => {
    const options = {
      type: 'module',
      packages: [express, 'jose'],
      programs: ['exercise.cjs', 'both-copies.mjs'],
    } as const
    const both = { separate: true, requiredReads: ANSWERS, importedReads: ANSWERS }
    expect(await run(await packed.consumer(options), 'both-copies.mjs')).toEqual(both)
  })

  it('uses features, tools and a store of the CommonJS copy with the platform of the other one', async () => {
    const project = await packed.consumer({
      type: 'module',
      packages: [express, 'jose'],
      programs: ['both-features.mjs'],
    })
    expect(await run(project, 'both-features.mjs')).toEqual({
      registered: 202,
      wrongLink: 400,
      issued: 200,
      guarded: { status: 200, body: { name: 'Acme' } },
      undocumented: 404,
      refused: 401,
      wrong: 400,
      closed: 400,
      limited: 429,
      console: 200,
      signIn: 200,
      link: '/developers/applications/sign-in',
      rejects: [
        [true, 'api_closed'],
        [true, 'application_not_found'],
        [true, 'application_not_found'],
      ],
      imported: { read: 1, added: 1, unchanged: 0, refused: 0, confirmed: true },
      importedKey: 'Old',
      usage: [['orders', 1]],
    })
  })

  // In `npm test`, recipes/testing.integration.test.ts runs Jest.
  it.for(IS_LONG_LANE ? ['Jest'] : [])('uses it in %s without configuration', async () => {
    const packages = [express, '@photostructure/sqlite', 'supertest']
    const project = await packed.consumer({ type: 'commonjs', packages, programs: ['platform.test.js'] })
    const jest = join(dirname(resolve('jest/package.json')), 'bin/jest.js')
    const { code, stderr } = await runNode(
      [jest, '--rootDir', project, '--cacheDirectory', join(project, 'cache')],
      project,
    )
    expect(code, stderr).toBe(0)
    expect(stderr).toMatch(/Tests: +(\d{3}) passed, \1 total/)
  })
})

it('a bundle that contains the package says that it must be left out', async () => {
  const packages = ['express', 'jose', '@photostructure/sqlite']
  const project = await packed.consumer({ type: 'module', packages, programs: ['bundled.js'] })
  const outfile = join(project, 'bundle/bundled.cjs')
  const options = { bundle: true, platform: 'node', format: 'cjs', logLevel: 'silent' } as const
  await esbuild.build({ ...options, entryPoints: [join(project, 'bundled.js')], outfile })
  const hasBuiltinDriver = Number.parseInt(process.versions.node, 10) >= 24
  const errors = hasBuiltinDriver ? ['ConfigurationError'] : ['ConfigurationError', 'StoreIncompatibleError']
  expect(await run(project, 'bundle/bundled.cjs')).toEqual(
    errors.map((name) => expect.stringMatching(new RegExp(`^${name}: .* keep the package external: `)) as unknown),
  )
})

describe('a project with OpenTelemetry', () => {
  it.each(['require-opentelemetry.cjs', ...(IS_LONG_LANE ? ['import-opentelemetry.mjs'] : [])])(
    'observes it: %s',
    async (program) => {
      const api = 'platform_auth.api.name'
      const counted = [
        [{ [api]: 'orders' }, 1],
        [{ [api]: 'catalog' }, 1],
        [{ [api]: 'orders', 'error.type': 'invalid_token' }, 1],
      ]
      const project = await packed.consumer({
        type: 'module',
        packages: ['express', 'jose', '@opentelemetry/api', '@opentelemetry/sdk-metrics'],
        programs: ['exercise.cjs', 'observed.cjs', program],
      })
      expect(await run(project, program)).toEqual(counted)
    },
  )

  it('names the missing package if OpenTelemetry is not installed', async () => {
    const project = await packed.consumer({
      type: 'module',
      packages: ['express', 'jose'],
      programs: ['exercise.cjs', 'observed.cjs', 'import-opentelemetry.mjs'],
    })
    await expect(run(project, 'import-opentelemetry.mjs')).rejects.toThrow(/Cannot find package '@opentelemetry\/api'/)
  })
})

describe('a project with an OpenAPI document in YAML', () => {
  const open = (packages: string[]): Promise<string> =>
    packed.consumer({ type: 'module', packages: ['jose', ...packages], programs: ['yaml.mjs'] })

  it('reads it, imported and required', async () => {
    expect(await run(await open(['yaml']), 'yaml.mjs')).toEqual(['function', 'function', 'function'])
  })

  it('learns which package is missing', async () => {
    const message =
      'guardsFromDocument("orders"): document names a YAML file, which needs the package yaml, and that could not be loaded. Run: npm install yaml. Or give a JSON file: npx js-yaml openapi.yaml > openapi.json'
    expect(await run(await open([]), 'yaml.mjs')).toEqual([message, message, message])
  })
})

describe('installed from the packed tarball', () => {
  it('prints its help, and says how to install pg if it is not installed', async () => {
    const project = await packed.consumer({ type: 'module', packages: ['express', 'jose'], programs: [] })
    const { bin } = JSON.parse(await readText(packed.folder, 'package.json')) as {
      bin: Readonly<Record<string, string>>
    }
    const program = join('node_modules/express-platform-auth', bin['express-platform-auth']!)
    const { stdout } = await runNode([program, '--help'], project)
    expect(stdout).toContain('apps create')
    expect(await runNode([program, 'apps', 'list', '--db', 'postgres://localhost/x'], project)).toEqual({
      code: 1,
      stdout: '',
      stderr: 'express-platform-auth: PostgreSQL needs the package pg, which is not installed: npm install pg\n',
    })
  })
})

function runNode(args: readonly string[], cwd: string): Promise<{ code: unknown; stdout: string; stderr: string }> {
  return new Promise((done) => {
    // Jest reads NODE_ENV and Vitest's variables.
    const env = { PATH: process.env['PATH'], HOME: homedir(), CI: 'true' }
    execFile(process.execPath, args, { cwd, env, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      done({ code: error ? (error.code ?? error.signal) : 0, stdout, stderr })
    })
  })
}

/** The folders in which Node looks for the dependencies of the package at `place`. */
function listModuleFolders(path: string): string[] {
  const folders = path.split('/node_modules/')
  return [
    'node_modules/',
    ...folders.map((_, at) => `${folders.slice(0, at + 1).join('/node_modules/')}/node_modules/`),
  ]
}
