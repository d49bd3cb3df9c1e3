import { readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { createTemporaryFolder } from '../support/temporary-folder.js'
import { tsc } from '../support/tsc.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const EXPECTED = /^\s*\/\/ @ts-expect-error (TS\d+) .*$/

it('compiles.ts compiles, and each line of does-not-compile.ts has the error named above it', async () => {
  const folder = await createTemporaryFolder()
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  const source = join(root, 'src')
  const include = ['*.ts', join(source, '**/*.d.ts')]
  const config = { extends: join(root, 'tsconfig.json'), compilerOptions: { types: ['node'] }, include }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')

  // Without the directives: @ts-expect-error accepts any error, not only the one that is named.
  const lines = (await readFile(new URL('does-not-compile.ts', import.meta.url), 'utf8')).split('\n')
  const expected = lines.flatMap((line, at) =>
    EXPECTED.test(line) ? [`does-not-compile.ts:${at + 2} ${EXPECTED.exec(line)?.[1]}`] : [],
  )
  const bare = lines.map((line) => (EXPECTED.test(line) ? '' : line))
  const good = await readFile(new URL('compiles.ts', import.meta.url), 'utf8')
  await writeFile(join(folder, 'does-not-compile.ts'), bare.join('\n').replaceAll('../../src', source))
  await writeFile(join(folder, 'compiles.ts'), good.replaceAll('../../src', source))

  expect(expected.length).toBeGreaterThan(10)
  const errors = await tsc(['--project', folder])
  expect(errors.map((error) => /^\S+ TS\d+/.exec(error)?.[0])).toEqual(expected)
})
