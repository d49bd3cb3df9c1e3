import { PassThrough, Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { run } from '../../../../src/tools/cli/run.js'
import { sqliteStore } from '../../../../src/stores/sqlite/index.js'
import { application, NOW } from '../../../stores/suite/records.js'
import {
  createApplication,
  createSite,
  expectRefused,
  runInProcess,
  runJson,
  useSite,
  config,
  printed,
} from '../command-line.js'

const site = useSite()

describe('apps list', () => {
  it('prints aligned columns, oldest first', async () => {
    const other = await createSite(async (auth) => {
      await auth.applications.create({ name: 'Corner Shop', contact: 'a@b.example', apis: ['orders', 'catalog'] })
      await auth.applications.create({ name: '街角の店', apis: ['weather'] })
    })
    const { stdout } = await runInProcess(['apps', 'list', '--db', other.file])
    const [head, first, second] = stdout.split('\n')
    expect(head).toMatch(/^ID {36}NAME {9}STATUS {2}APIS {13}CONTACT {6}CREATED$/)
    expect(first).toMatch(
      /^app_\w{32} {2}Corner Shop {2}active {2}orders, catalog {2}a@b.example {2}\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ$/,
    )
    expect(second).toMatch(/^app_\w{32} {2}街角の店 {5}active {2}weather {10}- {12}\d{4}/)
  })

  it('lists what waits for a decision with --waiting: for what, and since when, longest first, page by page', async () => {
    const other = await createSite()
    const list = async (...more: string[]): Promise<string[]> =>
      (await printed('apps', 'list', '--waiting', ...more, '--db', other.file)).trimEnd().split('\n')
    expect(await list()).toEqual(['Nothing waits for a decision.'])
    const store = sqliteStore(other.file)
    await store.open()
    const request = { api: 'catalog', scopes: ['read'], requestedAt: NOW - 1000, by: undefined }
    await store.saveApplication(application('app_1', { status: 'pending', isHeld: true, name: '' }), undefined)
    await store.saveApplication(application('app_2', { name: 'Shop', accessRequests: [request] }), undefined)
    await store.saveApplication(application('app_3', { status: 'pending' }), undefined)
    await store.close()
    expect((await list()).map((line) => line.split(/ {2,}/))).toEqual([
      ['ID', 'NAME', 'CONTACT', 'SINCE', 'WAITS FOR'],
      ['app_2', 'Shop', '-', '2027-01-15 07:59:59Z', 'access to catalog read'],
      ['app_1', '-', '-', '2027-01-15 08:00:00Z', 'its registration'],
    ])
    const next = `waiting.${NOW - 1000}.app_2`
    expect((await list('--limit', '1')).at(-1)).toBe(`There are more: --after ${next}`)
    expect(await list('--after', next)).toHaveLength(2)
    expect(await list('--after', 'app_2')).toEqual(['Nothing waits for a decision.'])
  })

  it('lists page by page, or all pages', async () => {
    const names = ['a', 'b', 'c', 'd', 'e']
    const other = await createSite(async (auth) => {
      for (const name of names) await auth.applications.create({ name, apis: ['catalog'] })
    })
    const list = (...more: string[]) => runJson(['apps', 'list', '--limit', '2', ...more, '--db', other.file])
    const first = await list()
    expect(first.items.map(({ name }) => name)).toEqual(['a', 'b'])
    expect(first.next).toBe(first.items[1]?.id)
    const second = await list('--after', first.next!)
    expect(second.items.map(({ name }) => name)).toEqual(['c', 'd'])
    const listAll = async (...more: string[]) => {
      const args = ['apps', 'list', '--limit', '2', '--all', '--json', ...more, '--db', other.file]
      const { stdout } = await runInProcess(args)
      return stdout.split('\n').map((line) => line && (JSON.parse(line) as { name: string }).name)
    }
    expect(await listAll('--after', first.next!)).toEqual(['c', 'd', 'e', ''])
    expect(await listAll()).toEqual([...names, ''])
    expect(await listAll('--status', 'pending')).toEqual([''])
    const table = await printed('apps', 'list', '--limit', '2', '--all', '--db', other.file)
    expect(table.match(/^ID/gm)).toHaveLength(1)
    expect(table.split('\n').map((line) => /^app_\w{32} {2}(\w)/.exec(line)?.[1])).toEqual([
      undefined,
      ...names,
      undefined,
    ])
    const { stdout } = await runInProcess(['apps', 'list', '--limit', '2', '--db', other.file])
    expect(stdout).toContain(`\n\nThere are more: --after ${first.next}\n`)
  })

  it.each([[['--json']], [[]]])('reads the next page when the reader has taken the one before: %j', async (form) => {
    const other = await createSite(async (auth) => {
      for (let i = 0; i < 30; i++) await auth.applications.create({ name: 'a', apis: ['catalog'] })
    })
    let [longest, total] = [0, 0]
    const stdout = new Writable({
      highWaterMark: 1,
      write(chunk: Buffer, _encoding, done) {
        longest = Math.max(longest, stdout.writableLength)
        total += chunk.length
        setTimeout(done, 5)
      },
    })
    const args = ['apps', 'list', '--limit', '1', '--all', ...form, '--db', other.file]
    const manifest = { version: '1.2.3', engines: { node: '>=20.0.0' } }
    const context = { stdin: new PassThrough(), stdout, stderr: new PassThrough(), env: {}, manifest }
    expect(await run(args, context)).toBe(0)
    expect(total).toBeGreaterThan(30 * 50)
    expect(longest).toBeLessThan(total / 10)
  })

  it('filters by API and status', async () => {
    const { id } = await createApplication({ name: 'Suspended' })
    await runInProcess(['apps', 'suspend', id, ...site.db()])
    const { items } = await runJson(['apps', 'list', '--api', 'orders', '--status', 'suspended', ...site.db()])
    expect(items).toMatchObject([{ id }])
    const { stdout } = await runInProcess(['apps', 'list', '--api', 'nothing', ...site.db()])
    expect(stdout).toBe('No applications with access to an API "nothing".\n')
  })

  it('names an API that the options do not have', async () => {
    await expectRefused(
      ['apps', 'list', '--api', 'catlog', ...config],
      1,
      'There is no API "catlog". Did you mean "catalog"? There are: orders, catalog, archive.',
    )
    expect((await runInProcess(['apps', 'list', '--api', 'archive', ...config])).code).toBe(0)
  })

  it.each([
    [['--status', 'asleep'], 'status must be one of pending, active, suspended, deleted.'],
    [['--limit', '0'], 'limit must be at least 1.'],
  ])('refuses %j', async (args, message) => {
    await expectRefused(['apps', 'list', ...args, ...site.db()], 1, message)
  })
})

describe('an application', () => {
  it('is shown, renamed, suspended, resumed and deleted, and the audit log says by whom', async () => {
    const { id } = await createApplication({ name: 'Old name' })
    const by = ['--by', 'alice'] as const
    expect(await printed('apps', 'update', id, '--name', 'New name', ...by, ...site.db())).toBe(
      `Updated "New name" (${id}).\n`,
    )
    await runInProcess(['apps', 'update', id, '--contact', 'new@shop.example', ...by, ...site.db()])
    expect(await printed('apps', 'show', id, ...site.db())).toMatch(
      /^id {8}app_\w+\nname {6}New name\nstatus {4}active\ncontacts {2}new@shop.example\ncreated {3}.*Z\napis {6}orders orders:read orders:write\n {10}catalog\nkeys {6}cred_\w+ default, epa_key_\w{4}\.\.\., created .*Z, never used\nsecrets {3}cred_\w+ default, epa_sec_\w{4}\.\.\., .*\n$/,
    )
    expect(await printed('apps', 'suspend', id, ...by, ...site.db())).toMatch(/^Suspended "New name"/)
    expect((await runJson(['apps', 'resume', id, ...by, ...site.db()])).application.status).toBe('active')
    expect(await printed('apps', 'revoke-tokens', id, ...by, ...site.db())).toMatch(/up to now is refused\.\n$/)
    expect(await printed('apps', 'disallow', id, 'catalog', ...by, ...site.db())).toMatch(
      /may no longer use catalog\.\n$/,
    )
    expect(await printed('apps', 'delete', id, '--yes', ...by, ...site.db())).toBe(`Deleted ${id}.\n`)
    expect(await printed('apps', 'show', id, ...site.db())).toMatch(
      /name {6}-\nstatus {4}deleted\ncontacts {2}-\n[^]*secrets {3}-\n$/,
    )

    const { items } = await runJson(['audit', id, ...site.db()])
    expect(items.map(({ type }) => type.replace('application.', ''))).toEqual(
      'registered updated updated suspended resumed tokensRevoked accessChanged deleted'.split(' '),
    )
    expect(items.slice(1).every(({ by }) => by === 'alice')).toBe(true)
    const { stdout } = await runInProcess(['audit', id, '--limit', '1', ...site.db()])
    expect(stdout).toMatch(
      /^ID +AT +WHAT +BY +APPLICATION +DETAILS\n.* application\.registered +\S+ +app_.*apis=\{.*\}\n\nThere are more: --after \d+\n$/,
    )
  })

  it('is deleted only after a yes at the terminal', async () => {
    const { id } = await createApplication({ name: 'Doomed' })
    const no = await runInProcess(['apps', 'delete', id, ...site.db()], { answer: 'n' })
    expect(no).toMatchObject({ code: 1, stdout: '' })
    expect(no.stderr).toContain(`Delete "Doomed" (${id}) permanently? [y/N]`)
    expect(no.stderr).toContain('Not deleted.')
    const closed = await runInProcess(['apps', 'delete', id, ...site.db()], { closesTerminal: true })
    expect(closed).toMatchObject({ code: 1, stdout: '' })
    await expectRefused(['apps', 'delete', id, ...site.db()], 2, 'needs --yes')
    expect((await runJson(['apps', 'show', id, ...site.db()])).application.status).toBe('active')
    expect(await runInProcess(['apps', 'delete', id, ...site.db()], { answer: 'yes' })).toMatchObject({
      code: 0,
      stdout: `Deleted ${id}.\n`,
    })
  })

  it('that does not exist, or whose status does not allow the command, is refused with the fix', async () => {
    const { id } = await createApplication()
    const missing = 'app_00000000000000000000000000000000'
    for (const args of [['show'], ['suspend'], ['delete', '--yes'], ['disallow', 'orders']]) {
      const [verb, ...more] = args
      const refused = await runInProcess(['apps', verb!, missing, ...more, ...site.db()])
      expect(refused).toMatchObject({ code: 1, stdout: '' })
      expect(refused.stderr).toContain(
        `There is no application "${missing}".\nTo list them: express-platform-auth apps list`,
      )
    }
    const resumed = await runInProcess(['apps', 'resume', id, ...site.db()])
    expect(resumed.stderr).toContain('resume() needs an application that is suspended')
    expect((await runInProcess(['apps', 'disallow', id, 'catalgo', ...site.db()])).stderr).toContain(
      'It may use orders, catalog. Did you mean "catalog"?',
    )
    await expectRefused(
      ['apps', 'update', id, ...site.db()],
      2,
      'Nothing to change: give --name, --contact, --language, --external-id, --metadata or --resource-server.',
    )
  })
})
