import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { tsc } from '../support/tsc.js'
import { pack, type Packed } from './packed.js'

// TypeScript 7 does not compile the declarations of Node 18 themselves. The TypeScript of attw does.
const attw = createRequire(createRequire(import.meta.url).resolve('@arethetypeswrong/cli/package.json'))
const older = dirname(createRequire(attw.resolve('@arethetypeswrong/core')).resolve('typescript/package.json'))

let packed: Packed
beforeAll(async () => {
  packed = await pack()
})
afterAll(() => packed?.remove())

it('the declarations compile with @types/node 18.16 and lib es2020', { timeout: 90_000 }, async () => {
  const home = await packed.consumer({
    type: 'module',
    packages: ['@types/node=@types/node18'],
    programs: ['older-types.ts'],
  })
  const compilerOptions = { strict: true, skipLibCheck: false, module: 'node16', target: 'es2020', lib: ['es2020'], types: ['node'] } // prettier-ignore
  await writeFile(join(home, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['older-types.ts'] }))
  expect(await tsc(['--project', home], older)).toEqual([])
})
