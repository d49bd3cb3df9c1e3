import { mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { blocksOf, documentationPages } from '../docs/pages.js'
import { IS_LONG_LANE } from '../support/long-lane.js'
import { compile } from './compile.js'
import { eachExportAlone } from './each-export.js'
import { copyBuild, type Installable } from './packed.js'

const ESM = { type: 'module' } as const
const CJS = { type: 'commonjs', verbatimModuleSyntax: false } as const
const FLAVOURS = [
  { ...ESM, module: 'nodenext', moduleResolution: 'nodenext' },
  { ...CJS, module: 'nodenext', moduleResolution: 'nodenext' },
  { ...ESM, module: 'node16', moduleResolution: 'node16' },
  { ...CJS, module: 'node16', moduleResolution: 'node16' },
  { ...ESM, module: 'esnext', moduleResolution: 'bundler' },
  { ...CJS, module: 'commonjs', moduleResolution: 'node10' },
] as const
const VERSIONS = ['typescript-5.0', 'typescript-5.9', 'typescript-6.0', 'typescript'] as const
/** TypeScript 6 deprecates node10, and 7 does not have it. */
const LAST_WITH_NODE10 = VERSIONS.indexOf('typescript-5.9')
const ALL = VERSIONS.flatMap((version, at) =>
  FLAVOURS.filter(({ moduleResolution }) => moduleResolution !== 'node10' || at <= LAST_WITH_NODE10).map(
    (flavour) => [version, flavour] as const,
  ),
)
/** The strictest, whose `tsc --init` has `declaration: true`. */
const FEW = ALL.filter(
  ([version, { type, module }]) => version === 'typescript' && type === 'module' && module === 'nodenext',
)

// Files that a block of the documentation imports.
const OTHER_FILES = "declare module '*'\n"

let built: Installable
let home = ''
const programs = new Map<string, string>()
beforeAll(async () => {
  built = await copyBuild()
  const packages = ['express', '@types/express', '@types/node', '@types/pg', 'pg', '@opentelemetry/api']
  home = await built.consumer({ type: 'module', packages, programs: [] })
  const code = await readFile(fileURLToPath(new URL('programs/declarations.ts', import.meta.url)), 'utf8')
  for (const program of eachExportAlone(code)) {
    // Programs that import much can name more.
    if (!IS_LONG_LANE && (program.match(/^import/gm)?.length ?? 0) > 3) continue
    const name = /export (?:const|function|class|default) \{?\s*(\w+)[^]*$/.exec(
      program.slice(program.lastIndexOf('\nexport ')),
    )?.[1]
    programs.set(`${programs.size}-${name}.ts`, program)
  }
  for (const { page, line, language, code: block } of documentationPages().flatMap(blocksOf)) {
    if (language !== 'ts' || !/^export /m.test(block) || !block.includes("from 'express-platform-auth")) continue
    if (/ from '(?!express-platform-auth|node:|\.)/.test(block)) continue
    programs.set(`${page.replace(/^.*\/|\.md$/g, '')}-${line}.ts`, block)
  }
})
afterAll(() => built?.remove())

// The configuration that `tsc --init` writes is the one that most projects have.
it.each(IS_LONG_LANE ? ALL : FEW)(
  'each value that a project exports compiles with declaration: true, alone in a program: %s, %j',
  async (version, { type, ...flavour }) => {
    const folder = await mkdtemp(join(home, 'each-'))
    await writeFile(join(folder, 'package.json'), JSON.stringify({ type }))
    await writeFile(join(folder, 'other-files.d.ts'), OTHER_FILES)
    await mkdir(join(folder, 'projects'))
    await compile(version, folder, ['--init'])
    const options = { ...flavour, types: ['node'], composite: true, rootDir: '..', outDir: '../out' }
    for (const [name, code] of programs) {
      await writeFile(join(folder, name), code)
      const config = {
        extends: '../tsconfig.json',
        compilerOptions: options,
        files: [`../${name}`, '../other-files.d.ts'],
      }
      await writeFile(join(folder, 'projects', `${name}.json`), JSON.stringify(config))
    }
    const references = [...programs.keys()].map((name) => ({ path: `projects/${name}.json` }))
    await writeFile(join(folder, 'all.json'), JSON.stringify({ files: [], references }))
    expect(await compile(version, folder, ['--build', 'all.json'])).toEqual([])

    expect(programs.size).toBeGreaterThan(30)
    const out = join(folder, 'out')
    const emitted = (await readdir(out)).filter((name) => name.endsWith('.d.ts'))
    expect(emitted.length).toBe(programs.size)
    const texts = await Promise.all(emitted.map((name) => readFile(join(out, name), 'utf8')))
    expect(emitted.filter((_, at) => /node_modules|\/dist\//.test(texts[at] ?? ''))).toEqual([])
  },
  // TypeScript 5 compiles each program on one processor, and a hundred of them in two minutes on a busy machine.
  600_000,
)
