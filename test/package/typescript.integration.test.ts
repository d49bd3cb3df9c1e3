import { copyFile, mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { IS_LONG_LANE } from '../support/long-lane.js'
import { tsc } from '../support/tsc.js'
import { compile as compileWith, writeConfig } from './compile.js'
import { copyBuild } from './packed.js'

const TYPES = { 4: ['express=express4', '@types/express=@types/express4'], 5: ['express', '@types/express'] } as const
const STRICT = {
  strict: true,
  noUncheckedIndexedAccess: true,
  // Checks the declarations of the packages, but not those of TypeScript itself, which take most of the time.
  skipDefaultLibCheck: true,
  lib: ['es2022'],
  esModuleInterop: true,
  target: 'es2022',
  types: ['node'],
}
const FLAVOURS = [
  { type: 'module', module: 'node16' },
  { type: 'module', module: 'nodenext' },
  // The declarations of @types/node do not compile with this version.
  { type: 'module', module: 'nodenext', exactOptionalPropertyTypes: true, skipLibCheck: true },
  { type: 'module', module: 'esnext', moduleResolution: 'bundler' },
  { type: 'commonjs', module: 'node16' },
  { type: 'commonjs', module: 'nodenext' },
  { type: 'commonjs', module: 'commonjs', moduleResolution: 'bundler' },
] as const
const TYPES_OF_PACKAGES = ['module', 'commonjs'] as const
const OLDER_FLAVOURS = [
  { type: 'commonjs', module: 'node16' },
  { type: 'commonjs', module: 'commonjs', moduleResolution: 'node10' },
] as const

/**
 * `npm test` compiles with each option once, and with each version of Express; the long lane with all combinations, and with
 * TypeScript 5.9 what version 7 cannot: node10 resolution, which declarations.integration.test.ts has in `npm test`.
 */
const FEW_FLAVOURS = {
  4: FLAVOURS.filter((flavour) => flavour.module === 'nodenext' && !('skipLibCheck' in flavour)),
  5: FLAVOURS.filter((flavour) => 'moduleResolution' in flavour || 'skipLibCheck' in flavour),
}

// package.integration.test.ts tests that the tarball contains the same files.
const built = await copyBuild()
afterAll(() => built?.remove())

// Each case compiles the types of Node and Express, which takes seconds on a busy machine.
describe.each([4, 5] as const)('a TypeScript project with the types of Express %s', (version) => {
  let home = ''
  const compiled = new Map<string, Promise<string[]>>()
  beforeAll(async () => {
    const packages = [...TYPES[version], '@types/node']
    home = await built.consumer({ type: 'module', packages, programs: ['program.ts'] })
  })

  it.each(IS_LONG_LANE ? FLAVOURS : FEW_FLAVOURS[version])('compiles: %j', async ({ type, ...options }) => {
    const errors = await compile(options)
    expect(errors.filter((error) => /^\w+/.exec(error)?.[0] !== otherThan(type))).toEqual([])
  })

  it.each(IS_LONG_LANE ? OLDER_FLAVOURS : [])('compiles with TypeScript 5.9: %j', async ({ type, ...options }) => {
    expect(await compileWithOlder(await project([type], options))).toEqual([])
  })

  /** The errors of both types of package with these options, which one run finds. */
  function compile(options: Readonly<Record<string, unknown>>): Promise<string[]> {
    const key = JSON.stringify(options)
    const flavours = FLAVOURS.map((flavour) => JSON.stringify(flavour))
    const types = TYPES_OF_PACKAGES.filter((type) => flavours.includes(JSON.stringify({ type, ...options })))
    // The package's declarations import nothing of Express, so they are checked with its newest types only.
    const skipLibCheck = version === 4
    const errors = compiled.get(key) ?? project(types, { skipLibCheck, ...options }).then(runTsc)
    compiled.set(key, errors)
    return errors
  }

  /** A folder below `home`, so that all projects share its node_modules, with a program in a package of each type. */
  async function project(types: readonly Type[], options: Readonly<Record<string, unknown>>): Promise<string> {
    const folder = await mkdtemp(join(home, 'project-'))
    for (const type of types) {
      await mkdir(join(folder, type))
      await copyFile(join(home, 'program.ts'), join(folder, type, `${type}.ts`))
      await writeFile(join(folder, type, 'package.json'), JSON.stringify({ type }))
    }
    await writeConfig(
      folder,
      { ...STRICT, ...options },
      types.map((type) => `${type}/${type}.ts`),
    )
    return folder
  }
})

it.for(IS_LONG_LANE ? ['es2020'] : [])('the declarations of every subpath compile with lib %s', async (lib) => {
  const home = await built.consumer({ type: 'module', packages: ['@types/node'], programs: ['older-types.ts'] })
  const options = { strict: true, module: 'node16', target: lib, lib: [lib], types: ['node'] }
  await writeConfig(home, options, ['older-types.ts'])
  expect(await compileWithOlder(home)).toEqual([])
})

type Type = (typeof TYPES_OF_PACKAGES)[number]

const otherThan = (type: Type): Type => (type === 'module' ? 'commonjs' : 'module')

/** The errors of programs and of the declarations of this package. */
async function compileWithOlder(folder: string): Promise<string[]> {
  const errors = await compileWith('typescript-5.9', folder, ['--noEmit'])
  return errors.filter((error) => / error TS/.test(error) && !/node_modules\/(?!express-platform-auth)/.test(error))
}

const runTsc = (folder: string): Promise<string[]> => tsc(['--project', folder])
