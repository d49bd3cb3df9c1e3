import { describe, expect, it } from 'vitest'
import type { Application } from '../../src/index.js'
import { CONFIG, core, json, site, siteForAll } from './command-line.js'

const here = siteForAll()
const db = (): readonly string[] => ['--db', here.file]
const config = ['--config', CONFIG] as const

async function create(name = 'Shop', ...more: readonly string[]): Promise<Application> {
  const args = ['apps', 'create', '--name', name, '--api', 'orders', '--api', 'catalog', ...more]
  return (await json([...args, ...config])).application
}

describe('apps list', () => {
  it('lists in aligned columns, newest last', async () => {
    const list = await site(async (auth) => {
      await auth.applications.create({ name: 'Corner Shop', contact: 'a@b.example', apis: ['orders', 'catalog'] })
      await auth.applications.create({ name: '街角の店', apis: ['weather'] })
    })
    const { stdout } = await core(['apps', 'list', '--db', list.file])
    const [head, first, second] = stdout.split('\n')
    expect(head).toMatch(/^ID {36}NAME {9}STATUS {2}APIS {13}CONTACT {6}CREATED$/)
    expect(first).toMatch(
      /^app_\w{32} {2}Corner Shop {2}active {2}orders, catalog {2}a@b.example {2}\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ$/,
    )
    expect(second).toMatch(/^app_\w{32} {2}街角の店 {5}active {2}weather {10}- {12}\d{4}/)
    await list.remove()
  })

  it('goes through pages, by hand or all', async () => {
    const names = ['a', 'b', 'c', 'd', 'e']
    const pages = await site(async (auth) => {
      for (const name of names) await auth.applications.create({ name, apis: ['catalog'] })
    })
    const list = (...more: string[]) => json(['apps', 'list', '--limit', '2', ...more, '--db', pages.file])
    const first = await list()
    expect(first.applications.map(({ name }) => name)).toEqual(['a', 'b'])
    expect(first.next).toBe(first.applications[1]?.id)
    const second = await list('--after', first.next!)
    expect(second.applications.map(({ name }) => name)).toEqual(['c', 'd'])
    const rest = await list('--after', first.next!, '--all')
    expect(rest.applications.map(({ name }) => name)).toEqual(['c', 'd', 'e'])
    expect(rest).not.toHaveProperty('next')
    const all = await list('--all')
    expect(all.applications.map(({ name }) => name)).toEqual(names)
    const { stdout } = await core(['apps', 'list', '--limit', '2', '--db', pages.file])
    expect(stdout).toContain(`\n\nThere are more: --after ${first.next}\n`)
    await pages.remove()
  })

  it('picks by API and status', async () => {
    const { id } = await create('Picked')
    await core(['apps', 'suspend', id, ...db()])
    const { applications } = await json(['apps', 'list', '--api', 'orders', '--status', 'suspended', ...db()])
    expect(applications).toMatchObject([{ id }])
    expect((await core(['apps', 'list', '--api', 'nothing', ...db()])).stdout).toBe('No applications.\n')
  })

  it.each([
    [['--status', 'asleep'], 'status must be one of pending, active, suspended, deleted.'],
    [['--limit', '0'], 'limit must be a whole number from 1 to 1000.'],
  ])('refuses %j', async (args, message) => {
    expect(await core(['apps', 'list', ...args, ...db()])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(message),
    })
  })
})

describe('the life of an application', () => {
  it('is shown, renamed, suspended, resumed and deleted, and the audit says by whom', async () => {
    const { id } = await create('Old name')
    const by = ['--by', 'alice'] as const
    expect((await core(['apps', 'update', id, '--name', 'New name', ...by, ...db()])).stdout).toBe(
      `Updated "New name" (${id}).\n`,
    )
    await core(['apps', 'update', id, '--contact', 'new@shop.example', ...by, ...db()])
    expect((await core(['apps', 'show', id, ...db()])).stdout).toMatch(
      /^id {7}app_\w+\nname {5}New name\nstatus {3}active\ncontact {2}new@shop.example\ncreated {2}.*Z\napis {5}orders orders:read orders:write\n {9}catalog\nkeys {5}epa_key_\w{4}\.\.\., made .*Z, never used\nsecrets {2}epa_sec_\w{4}\.\.\., .*\n$/,
    )
    expect((await core(['apps', 'suspend', id, ...by, ...db()])).stdout).toMatch(/^Suspended "New name"/)
    expect((await json(['apps', 'resume', id, ...by, ...db()])).application.status).toBe('active')
    expect((await core(['apps', 'revoke-tokens', id, ...by, ...db()])).stdout).toMatch(/up to now is refused\.\n$/)
    expect((await core(['apps', 'disallow', id, 'catalog', ...by, ...db()])).stdout).toMatch(
      /may no longer use catalog\.\n$/,
    )
    expect((await core(['apps', 'delete', id, '--yes', ...by, ...db()])).stdout).toBe(`Deleted ${id}.\n`)
    expect((await core(['apps', 'show', id, ...db()])).stdout).toMatch(
      /name {5}-\nstatus {3}deleted\ncontact {2}-\n[^]*secrets {2}-\n$/,
    )

    const { records } = await json(['audit', id, ...db()])
    expect(records.map(({ type }) => type.replace('application.', ''))).toEqual([
      'registered', 'updated', 'updated', 'suspended', 'resumed', 'tokensRevoked', 'accessChanged', 'deleted',
    ]) // prettier-ignore
    expect(records.slice(1).every(({ by }) => by === 'alice')).toBe(true)
    const { stdout } = await core(['audit', id, '--limit', '1', ...db()])
    expect(stdout).toMatch(
      /^ID +AT +WHAT +BY +APPLICATION +DETAILS\n.* application\.registered +\S+ +app_.*apis=\{.*\}\n\nThere are more: --after \d+\n$/,
    )
  })

  it('asks before it deletes, where somebody can be asked', async () => {
    const { id } = await create('Doomed')
    const no = await core(['apps', 'delete', id, ...db()], { answer: 'n' })
    expect(no).toMatchObject({ code: 1, stdout: '' })
    expect(no.stderr).toContain(`Delete "Doomed" (${id}) for ever? [y/N]`)
    expect(no.stderr).toContain('Not deleted.')
    expect(await core(['apps', 'delete', id, ...db()], { leaves: true })).toMatchObject({ code: 1, stdout: '' })
    const nobody = await core(['apps', 'delete', id, ...db()])
    expect(nobody).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('give --yes') })
    expect((await json(['apps', 'show', id, ...db()])).application.status).toBe('active')
    expect(await core(['apps', 'delete', id, ...db()], { answer: 'yes' })).toMatchObject({
      code: 0,
      stdout: `Deleted ${id}.\n`,
    })
  })

  it('refuses what can not be, with the cure', async () => {
    const { id } = await create()
    const missing = 'app_00000000000000000000000000000000'
    for (const args of [['show'], ['suspend'], ['delete', '--yes'], ['disallow', 'orders']]) {
      const [verb, ...more] = args
      const refused = await core(['apps', verb!, missing, ...more, ...db()])
      expect(refused).toMatchObject({ code: 1, stdout: '' })
      expect(refused.stderr).toContain(
        `There is no application "${missing}".\nSee which there are: express-platform-auth apps list`,
      )
    }
    expect((await core(['apps', 'resume', id, ...db()])).stderr).toContain('resume goes from suspended to active')
    expect((await core(['apps', 'disallow', id, 'catalgo', ...db()])).stderr).toContain(
      'It may use orders, catalog. Did you mean "catalog"?',
    )
    const nothing = await core(['apps', 'update', id, ...db()])
    expect(nothing).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Nothing to change: give --name, --contact, or both.'),
    })
  })
})
