import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ConfigurationError } from '../../src/index.js'
import { sqliteStore } from '../../src/stores/sqlite/index.js'
import { runInProcess } from '../tools/cli/command-line.js'
import { createApplication } from '../support/http.js'
import { openPlatform, type TestOptions } from '../support/platform.js'
import { blocksOf, readPage } from './pages.js'

const APPLICATIONS = 25

describe('the SQLite chapter of docs/incidents.md', () => {
  const [backUp, restore] = blocksOf(readPage('docs/incidents.md')).filter(({ code }) =>
    code.includes('platform.sqlite'),
  )
  const open = (file: string, options: TestOptions = {}) =>
    openPlatform({ now: Date.now, store: sqliteStore(file), ...options }).auth
  let folder: string
  let site: string

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'backup-'))
    site = join(folder, 'site')
    await mkdir(site)
  })
  afterAll(() => rm(folder, { recursive: true }))

  it('restores every application, also after the server was killed, and lists the changes to be redone', async () => {
    // The platform keeps running, so everything is in the -wal file.
    const running = open(join(folder, 'platform.sqlite'))
    await running.ready()
    const created = []
    for (let i = 0; i < APPLICATIONS; i++) created.push(await createApplication(running, ['catalog']))
    expect(await run(backUp!.code, folder)).toBe('ok\n')
    const [suspended, rotated] = created
    await running.applications.suspend(suspended!.id)
    await running.applications.rotateKey(rotated!.id, { overlap: 0 })
    // What a plain copy has, and what a killed server leaves.
    await copyFile(join(folder, 'platform.sqlite'), join(folder, 'copied.sqlite'))
    for (const name of ['platform.sqlite', 'platform.sqlite-wal', 'platform.sqlite-shm', 'backup.sqlite'])
      await copyFile(join(folder, name), join(site, name))
    await running.close()

    const copied = open(join(folder, 'copied.sqlite'))
    await copied.ready()
    expect((await copied.applications.list({ limit: 1000 })).items.length).toBeLessThan(APPLICATIONS)
    await copied.close()

    await run(restore!.code, site)
    expect((await readdir(site)).toSorted()).toEqual(['backup.sqlite', 'lost', 'platform.sqlite'])
    const file = join(site, 'platform.sqlite')
    const restored = open(file)
    await restored.ready()
    for (const { clientId } of created) expect(await restored.verifyApiKey('catalog', clientId)).toBeDefined()

    // What operators and processes do meanwhile takes ids that the lost changes have too.
    await restored.signingKeys.rotate({ immediately: true })
    for (let i = 0; i < 5; i++) await createApplication(restored, ['catalog'])
    const lost = await listLost(site)
    const [before, audit] = lost.split('Undone, by the audit log')
    expect(before!.trimEnd().split('\n')).toEqual([
      'To be done again first:',
      expect.stringContaining('REDO'),
      expect.stringContaining(`apps suspend ${suspended!.id}`),
      expect.stringContaining(`apps rotate-key ${rotated!.id}`),
    ])
    expect(audit).toMatch(/application\.suspended .*\n.*application\.credentialRotated /)
    expect((await runInProcess(['apps', 'suspend', suspended!.id, '--db', file])).code).toBe(0)
    await expect
      .poll(() => restored.verifyApiKey('catalog', suspended!.clientId).catch((error: unknown) => error))
      .toMatchObject({ status: 403 })
    await restored.close()
  })

  it('restores nothing usable without the secret', async () => {
    const other = open(join(folder, 'backup.sqlite'), { secret: 'another secret of 32 characters!' })
    await expect(other.ready()).rejects.toThrow(ConfigurationError)
    await other.close()
  })
})

/** Runs the page's `restore-check`; resolves what it prints. */
async function listLost(folder: string): Promise<string> {
  const [line] = readPage('docs/incidents.md').text.match(/npx express-platform-auth restore-check --db platform.*/)!
  const words = line.replaceAll(/(?<=--(?:db|lost) )\S+/g, (file) => join(folder, file)).split(' ')
  return (await runInProcess(words.slice(2))).stdout
}

/** Runs the commands of a block as a reader types them; resolves what they print. */
async function run(code: string, cwd: string): Promise<string> {
  return (await promisify(execFile)('sh', ['-e', '-c', code], { cwd })).stdout
}
