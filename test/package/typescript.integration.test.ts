import { copyFile, mkdtemp, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { tsc } from '../support/tsc.js'
import { pack, type Packed } from './packed.js'

const TYPES = {
  4: ['express=express4', '@types/express=@types/express4'],
  5: ['express', '@types/express'],
} as const
const STRICT = {
  strict: true,
  noUncheckedIndexedAccess: true,
  // Checks the declarations of the packages, but not those of TypeScript itself, which take most of the time.
  skipDefaultLibCheck: true,
  lib: ['es2022'],
  esModuleInterop: true,
  target: 'es2022',
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
const OLDER_FLAVOURS = [
  { type: 'commonjs', module: 'node16' },
  { type: 'commonjs', module: 'commonjs', moduleResolution: 'node10' },
] as const

// TypeScript 7 dropped node10 resolution, which many projects still use. The TypeScript of attw supports it.
const attw = createRequire(createRequire(import.meta.url).resolve('@arethetypeswrong/cli/package.json'))
const older = dirname(createRequire(attw.resolve('@arethetypeswrong/core')).resolve('typescript/package.json'))

let packed: Packed
beforeAll(async () => {
  packed = await pack()
})
afterAll(() => packed?.remove())

// Each case compiles the types of Node and Express, which takes seconds on a busy machine.
describe.each([4, 5] as const)('a TypeScript project with the types of Express %s', { timeout: 90_000 }, (version) => {
  let home = ''
  beforeAll(async () => {
    const packages = [...TYPES[version], '@types/node']
    home = await packed.consumer({ type: 'module', packages, programs: ['program.ts'] })
  })

  it.each(FLAVOURS)('compiles: %j', async (flavour) => {
    expect(await tsc(['--project', await project(flavour)])).toEqual([])
  })

  it.each(OLDER_FLAVOURS)('compiles with TypeScript 5.6: %j', async (flavour) => {
    // Checking all declarations takes this version 7 s, so it does that once; the other cases check the program.
    const skipLibCheck = version === 4 || flavour.module === 'node16'
    expect(await tsc(['--project', await project({ ...flavour, skipLibCheck })], older)).toEqual([])
  })

  /** A folder below `home`, so that all projects share its node_modules. */
  async function project({ type, ...options }: Flavour): Promise<string> {
    const folder = await mkdtemp(join(home, 'project-'))
    await copyFile(join(home, 'program.ts'), join(folder, 'program.ts'))
    await writeFile(join(folder, 'package.json'), JSON.stringify({ type }))
    const compilerOptions = { ...STRICT, ...options, types: ['node'] }
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }))
    return folder
  }
})

type Flavour = { readonly type: string } & Readonly<Record<string, unknown>>
