import { copyFile, mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { blocksOf, documentationPages } from '../docs/pages.js'
import { IS_LONG_LANE } from '../support/long-lane.js'
import { compile, writeConfig } from './compile.js'
import { copyBuild, type Installable } from './packed.js'

const VERSIONS = ['typescript-5.0', 'typescript-5.9', 'typescript'] as const
const FLAVOURS = [
  { type: 'module', module: 'nodenext', moduleResolution: 'nodenext' },
  { type: 'commonjs', module: 'nodenext', moduleResolution: 'nodenext' },
  { type: 'module', module: 'esnext', moduleResolution: 'bundler' },
] as const
const ALL: readonly Row[] = VERSIONS.flatMap((version) =>
  FLAVOURS.map((flavour) => ({ declaring: version, using: version, flavour, userFlavour: flavour })),
)
// The newest version declares what the oldest one uses, with the resolution that only old ones have.
const OLDEST = { type: 'commonjs', module: 'commonjs', moduleResolution: 'node10' } as const
const FEW: readonly Row[] = [
  { declaring: 'typescript', using: 'typescript-5.0', flavour: FLAVOURS[1], userFlavour: OLDEST },
]

interface Row {
  readonly declaring: string
  readonly using: string
  readonly flavour: Readonly<Record<string, string>>
  readonly userFlavour: Readonly<Record<string, string>>
}

const PROGRAMS = ['declarations.ts', 'features.ts', 'script.js']

let built: Installable
let home = ''
beforeAll(async () => {
  built = await copyBuild()
  home = await built.consumer({
    type: 'module',
    packages: ['express', '@types/express', '@types/node', '@types/pg', 'pg', '@opentelemetry/api'],
    programs: PROGRAMS,
  })
})
afterAll(() => built?.remove())

// What frameworks of the documentation declare.
const OTHER_PACKAGES = `
declare module '@nestjs/common' {
  export class HttpException extends Error { constructor(body: object, status: number) }
  export interface CanActivate { canActivate(context: ExecutionContext): unknown }
  export interface ExecutionContext { switchToHttp(): { getRequest(): any; getResponse(): any } }
}`

it.each(IS_LONG_LANE ? ALL : FEW)(
  'what a project exports compiles with declaration: true, and its declarations can be used elsewhere: %j',
  async ({ declaring, using, flavour: { type, ...options }, userFlavour: { type: userType, ...userOptions } }) => {
    const folder = await mkdtemp(join(home, 'project-'))
    await writeFile(join(folder, 'package.json'), JSON.stringify({ type }))
    for (const name of PROGRAMS) await copyFile(join(home, name), join(folder, name))
    await writeFile(join(folder, 'other-packages.d.ts'), OTHER_PACKAGES)
    const documented = listDocumentedExports()
    expect(documented.length).toBeGreaterThan(0)
    for (const [at, code] of documented.entries()) await writeFile(join(folder, `documented-${at}.ts`), code)
    const names = documented.map((_, at) => `documented-${at}.ts`)
    const strict = { strict: true, target: 'es2022', types: ['node'], skipLibCheck: true }
    await writeConfig(
      folder,
      { ...strict, ...options, exactOptionalPropertyTypes: true, allowJs: true, declaration: true, outDir: 'out' },
      [...PROGRAMS, 'other-packages.d.ts', ...names],
    )
    expect(await compile(declaring, folder)).toEqual([])

    // A user of the emitted declarations has the package, and not its files.
    const files = await readdir(join(folder, 'out'))
    expect(files).toEqual(expect.arrayContaining(['declarations.d.ts', 'features.d.ts', 'script.d.ts']))
    const consumer = join(folder, 'consumer')
    await mkdir(consumer)
    await writeFile(join(consumer, 'package.json'), JSON.stringify({ type: userType }))
    for (const file of files.filter((name) => name.endsWith('.d.ts'))) {
      const text = await readFile(join(folder, 'out', file), 'utf8')
      expect(text).not.toMatch(/node_modules|\/dist\//)
      await writeFile(join(consumer, file), text)
    }
    const program = `import { auth, maybe, withSchema } from './declarations.js'
import { auth as shop } from './features.js'
import { createPlatform } from './script.js'
export const name: 'orders' = 'orders' satisfies Parameters<typeof auth.verifyAccessToken>[0]
// @ts-expect-error no such API
void auth.verifyAccessToken('ordres', 'token')
// @ts-expect-error no such API
void auth.usage.list({ api: 'ordres' })
// @ts-expect-error it may be missing
void maybe.emails.retry()
// @ts-expect-error portal() was not given
void shop.portal
void createPlatform({}).usage.list({ api: 'orders' })
export const plan: Promise<'free' | 'paid'> = withSchema.verifyApiKey('catalog', 'key').then(({ application }) => application.metadata!.plan)
`
    await writeFile(join(consumer, 'program.ts'), program)
    await writeConfig(consumer, { ...strict, ...userOptions, noEmit: true }, ['program.ts'])
    expect(await compile(using, consumer)).toEqual([])
  },
  120_000,
)

/** The blocks of the documentation that export what this package gives. */
function listDocumentedExports(): string[] {
  const blocks = documentationPages().flatMap((page) => blocksOf(page))
  const isExporting = (code: string): boolean =>
    /^export (?:const|function|default|class)/m.test(code) &&
    /from 'express-platform-auth/.test(code) &&
    /= createPlatformAuth\(/.test(code)
  return blocks.filter(({ language, code }) => language === 'ts' && isExporting(code)).map(({ code }) => code)
}
