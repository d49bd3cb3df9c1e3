import { execFile } from 'node:child_process'
import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { ROOT } from '../docs/pages.js'
import { createTemporaryFolder } from '../support/temporary-folder.js'

/** Nothing listens there: what gets as far as the registry fails in another way. */
const NO_REGISTRY = 'http://127.0.0.1:1'

interface Manifest {
  repository: { url: string }
  homepage: string
  bugs: { url: string }
  scripts: Record<string, string>
}

describe('npm publish', () => {
  let folder: string
  beforeEach(async () => {
    folder = await createTemporaryFolder()
    for (const name of ['package.json', 'README.md', 'SECURITY.md', 'CHANGELOG.md', '.build'])
      await cp(join(ROOT, name), join(folder, name), { recursive: true })
  })

  async function change(work: (manifest: Manifest) => unknown): Promise<void> {
    const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest
    work(manifest)
    // `prepack` would build.
    manifest.scripts['prepack'] = 'true'
    await writeFile(join(folder, 'package.json'), JSON.stringify(manifest))
  }

  const print = (program: string, args: readonly string[]): Promise<string> =>
    new Promise((resolve) => {
      execFile(program, args, { cwd: folder }, (_error, stdout, stderr) => resolve(stdout + stderr))
    })

  const publish = (): Promise<string> => print('npm', ['publish', '--registry', NO_REGISTRY, '--fetch-retries', '0'])

  /** What runs before: npm itself takes seconds. */
  const check = (): Promise<string> => print(process.execPath, ['.build/check-publish.mjs'])

  const setReal = (manifest: Manifest): void => {
    manifest.repository.url = 'git+https://github.com/example/express-platform-auth.git'
    manifest.bugs.url = 'https://github.com/example/express-platform-auth/issues'
    manifest.homepage = 'https://github.com/example/express-platform-auth#readme'
  }

  it('ends before anything is sent while package.json has addresses that nobody can register, and names them', async () => {
    await change(() => undefined)
    const printed = await publish()
    for (const name of ['repository', 'homepage', 'bugs']) expect(printed).toContain(`package.json: "${name}" is `)
    expect(printed).toContain('Nobody can register such a name.')
    expect(printed).not.toContain('Tarball')
  })

  it.each<readonly [string, (manifest: Manifest) => unknown, string]>([
    ['one is left', (manifest) => (manifest.homepage = 'https://docs.example.org/x'), 'package.json: "homepage" is'],
    [
      'one is of another reserved name',
      (manifest) => (manifest.bugs.url = 'http://git.test/x'),
      'package.json: "bugs" is',
    ],
    [
      'one is an address for git over SSH',
      (manifest) => (manifest.repository.url = 'git@git.example.com:x.git'),
      '"repository" is',
    ],
    [
      'one is missing',
      (manifest) => delete (manifest as Partial<Manifest>).bugs,
      'package.json has no address for "bugs"',
    ],
    ['one is empty', (manifest) => (manifest.bugs.url = ''), 'package.json has no address for "bugs"'],
  ])('ends where %s', async (_what, work, problem) => {
    await change((manifest) => {
      setReal(manifest)
      work(manifest)
    })
    expect(await check()).toContain(problem)
  })

  it('ends where a page links to such a name, and not where its code names one', async () => {
    await writeFile(join(folder, 'SECURITY.md'), '[Report](https://example.com/report), `https://example.com`\n')
    await change(setReal)
    expect(await check()).toContain('SECURITY.md links to https://example.com/report.')
  })

  it('goes on to the registry once all are real', async () => {
    await change(setReal)
    expect(await publish()).toContain('Tarball Details')
  })
})
