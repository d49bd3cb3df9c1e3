import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pack, readText, run, type Packed } from './packed.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const { resolve } = createRequire(import.meta.url)
const EXPRESSES = { 4: 'express=express4', 5: 'express' } as const
const ANSWERS = {
  token: [200, 'bearer', 'orders:read'],
  guarded: [200, { name: 'Shop', id: '7' }],
  keyed: [200, { name: 'Shop', id: '8' }],
  refused: 401,
}

let packed: Packed
beforeAll(async () => {
  packed = await pack()
})
afterAll(() => packed?.remove())

describe('the tarball', () => {
  it('holds the build, the manifest and the documents, and nothing else', () => {
    const documents = ['CHANGELOG.md', 'LICENSE', 'README.md', 'SECURITY.md', 'package.json']
    const paths = packed.files.map(({ path }) => path)
    const built = /^dist\/(?:(?:esm|cjs)\/.+\.(?:js|d\.ts)|cjs\/package\.json|assets\/[\w.-]+)$/
    expect(paths.filter((path) => !built.test(path)).toSorted()).toEqual(documents)
    expect(paths.filter((path) => /(?:^|\/)(?:tests?|fixtures)\/|\.test\.|build/.test(path))).toEqual([])
  })

  it('holds the console’s files once, and the licences of what is not ours', async () => {
    const assets = packed.files.filter(({ path }) => path.startsWith('dist/assets/'))
    expect(assets.map(({ path }) => path.replace('dist/assets/', '')).toSorted()).toEqual([
      'console.css.gz',
      'console.js.gz',
      'icon.svg.gz',
      'reference.css.gz',
      'reference.js.gz',
      'swagger-ui.LICENSE',
      'swagger-ui.NOTICE',
      'swagger-ui.bundle.js.LICENSE.txt',
      'swagger-ui.js.gz',
    ])
    expect(await readText(packed.folder, 'dist/assets/swagger-ui.LICENSE')).toContain('Apache License')
  })

  it('is small', () => {
    expect(packed.size).toBeLessThan(1_000_000)
    expect(packed.files.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(2_000_000)
  })

  it('holds no secret, no key, no path of the machine it was built on, and no link to a file that is not there', async () => {
    for (const { path } of packed.files) {
      const text = await readText(packed.folder, path)
      expect(text, path).not.toMatch(
        /PRIVATE KEY-----\s*[A-Za-z0-9+/]{40}|epa_(?:key|sec)_\w{20}|sourceMappingURL|npm_\w{30}/,
      )
      const mentions = [root, homedir()].filter(
        (place) => path.startsWith('dist/') && text.includes(normalize(`${place}/`)),
      )
      expect(mentions, path).toEqual([])
    }
  })

  it('has the types that its users need, and imports no types of packages that they lack', async () => {
    const declarations = packed.files.filter(({ path }) => path.endsWith('.d.ts'))
    expect(declarations.length).toBeGreaterThan(0)
    for (const { path } of declarations) {
      const code = (await readText(packed.folder, path)).replaceAll(/\/\*[\s\S]*?\*\//g, '')
      const named = [...code.matchAll(/(?:from|import\(?|types=)\s*["']([^"']+)["']/g)].map(([, name = '']) => name)
      expect(
        named.filter((name) => !/^(?:\.{1,2}\/.+\.js|node:\w+)$/.test(name)),
        path,
      ).toEqual([])
    }
  })

  it('has in its CommonJS no import() and no jose but its own copy, with the licence', async () => {
    const twins = packed.files.filter(({ path }) => /^dist\/cjs\/.+\.js$/.test(path))
    expect(twins.length).toBeGreaterThan(10)
    for (const { path } of twins) {
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

  it('gives publint nothing to say', async () => {
    const { buffer } = new Uint8Array(await readFile(packed.tarball))
    const { messages, pkg } = await publint({ pack: { tarball: buffer }, strict: true })
    expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).toEqual([])
  })

  it('gives "are the types wrong?" nothing to say, from import and from require', async () => {
    const cli = join(dirname(resolve('@arethetypeswrong/cli/package.json')), 'dist/index.js')
    const { code, stdout } = await runNode(
      [cli, packed.tarball, '--no-color', '--no-emoji', '--format', 'table-flipped'],
      root,
    )
    expect(code, stdout).toBe(0)
    expect(stdout).toContain('No problems found')
  })
})

it('was made with a lock file that names no registry and lacks nothing on any platform', async () => {
  const text = await readText(root, 'package-lock.json')
  expect(text).not.toContain('"resolved"')
  // npm ci rejects a lock file without the optional packages of other platforms, although npm install may write one.
  const { packages } = JSON.parse(text) as { packages: Record<string, { optionalDependencies?: object }> }
  const missing = Object.entries(packages).flatMap(([place, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter((name) => !placesSeenFrom(place).some((seen) => seen + name in packages)),
  )
  expect(missing).toEqual([])
})

describe.each([4, 5] as const)('a project with Express %s', (version) => {
  const express = EXPRESSES[version]

  it('imports it', async () => {
    const options = { type: 'module', packages: [express, 'jose'], programs: ['exercise.cjs', 'import.mjs'] } as const
    expect(await run(await packed.consumer(options), 'import.mjs')).toEqual(ANSWERS)
  })

  it('requires it, without jose', async () => {
    const options = { type: 'commonjs', packages: [express], programs: ['exercise.cjs', 'require.cjs'] } as const
    expect(await run(await packed.consumer(options), 'require.cjs')).toEqual(ANSWERS)
  })

  it('keeps it in SQLite, imported and required', async () => {
    const home = await packed.consumer({
      type: 'module',
      packages: [express, 'jose', '@photostructure/sqlite'],
      programs: ['exercise.cjs', 'import-sqlite.mjs', 'require-sqlite.cjs'],
    })
    expect(await run(home, 'import-sqlite.mjs')).toEqual(ANSWERS)
    expect(await run(home, 'require-sqlite.cjs')).toEqual(ANSWERS)
  })

  it('shows the console, imported and required', async () => {
    const files = [
      [200, 'icon.svg', true],
      [200, 'console.css', true],
      [200, 'reference.css', true],
      [200, 'swagger-ui.js', true],
      [200, 'reference.js', true],
    ]
    const home = await packed.consumer({
      type: 'module',
      packages: [express, 'jose'],
      programs: ['console.cjs', 'import-console.mjs', 'require-console.cjs'],
    })
    expect(await run(home, 'import-console.mjs')).toEqual([200, ...files])
    expect(await run(home, 'require-console.cjs')).toEqual([200, ...files])
  })

  it('reads with authOf() of one copy what a guard of the other copy established', async () => {
    const options = {
      type: 'module',
      packages: [express, 'jose'],
      programs: ['exercise.cjs', 'both-copies.mjs'],
    } as const
    const both = { separate: true, requiredReads: ANSWERS, importedReads: ANSWERS }
    expect(await run(await packed.consumer(options), 'both-copies.mjs')).toEqual(both)
  })

  it('tests with it in Jest, as Jest is without configuration', async () => {
    const packages = [express, '@photostructure/sqlite', 'supertest']
    const home = await packed.consumer({ type: 'commonjs', packages, programs: ['platform.test.js'] })
    const jest = join(dirname(resolve('jest/package.json')), 'bin/jest.js')
    const { code, stderr } = await runNode([jest, '--rootDir', home, '--cacheDirectory', join(home, 'cache')], home)
    expect(code, stderr).toBe(0)
    expect(stderr).toMatch(/Tests: +3 passed, 3 total/)
  })
})

describe('a project with OpenTelemetry', () => {
  it('observes it, imported and required', async () => {
    const api = 'platform_auth.api.name'
    const counted = [
      [{ [api]: 'orders' }, 1],
      [{ [api]: 'catalog' }, 1],
      [{ [api]: 'orders', 'error.type': 'invalid_token' }, 1],
    ]
    const home = await packed.consumer({
      type: 'module',
      packages: ['express', 'jose', '@opentelemetry/api', '@opentelemetry/sdk-metrics'],
      programs: ['exercise.cjs', 'observed.cjs', 'import-opentelemetry.mjs', 'require-opentelemetry.cjs'],
    })
    expect(await run(home, 'import-opentelemetry.mjs')).toEqual(counted)
    expect(await run(home, 'require-opentelemetry.cjs')).toEqual(counted)
  })

  it('names the missing package if OpenTelemetry is not installed', async () => {
    const home = await packed.consumer({
      type: 'module',
      packages: ['express', 'jose'],
      programs: ['exercise.cjs', 'observed.cjs', 'import-opentelemetry.mjs'],
    })
    await expect(run(home, 'import-opentelemetry.mjs')).rejects.toThrow(/Cannot find package '@opentelemetry\/api'/)
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
function placesSeenFrom(place: string): string[] {
  const folders = place.split('/node_modules/')
  return [
    'node_modules/',
    ...folders.map((_, at) => `${folders.slice(0, at + 1).join('/node_modules/')}/node_modules/`),
  ]
}
