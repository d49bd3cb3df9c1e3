import { writeFile } from 'node:fs/promises'
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
  skipLibCheck: false,
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
  it.each(FLAVOURS)('compiles: %j', async (flavour) => {
    expect(await tsc(['--project', await project(flavour)])).toEqual([])
  })

  it.each(OLDER_FLAVOURS)('compiles with TypeScript 5.6: %j', async (flavour) => {
    expect(await tsc(['--project', await project(flavour)], older)).toEqual([])
  })

  async function project({ type, ...options }: (typeof FLAVOURS | typeof OLDER_FLAVOURS)[number]): Promise<string> {
    const packages = [...TYPES[version], '@types/node']
    const home = await packed.consumer({ type, packages, programs: ['program.ts'] })
    const compilerOptions = { ...STRICT, ...options, types: ['node'] }
    await writeFile(join(home, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }))
    return home
  }
})
