import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  CONFIG,
  createApplication,
  expectRefused,
  runInProcess,
  runJson,
  useSite,
  config,
  printed,
} from '../command-line.js'

const site = useSite()

const apis = ['catalog']

describe('--external-id and --metadata', () => {
  it('are given to apps create, shown by apps show, and found by apps list', async () => {
    const metadata = { discount: 10, region: 'Zürich' }
    const application = await createApplication({
      apis,
      more: ['--external-id', 'C-1', '--metadata', JSON.stringify(metadata)],
    })
    expect(application).toMatchObject({ externalId: 'C-1', metadata })
    const { stdout } = await runInProcess(['apps', 'show', application.id, ...site.db()])
    expect(stdout).toMatch(/^external id +C-1$/m)
    expect(stdout).toMatch(/^metadata +\{"discount":10,"region":"Zürich"\}$/m)
    const listed = await runJson(['apps', 'list', '--external-id', 'C-1', ...site.db()])
    expect(listed.items).toMatchObject([{ id: application.id, externalId: 'C-1', metadata }])
    expect((await runJson(['apps', 'list', '--external-id', 'C-2', ...site.db()])).items).toEqual([])
    const taken = ['apps', 'create', '--name', 'Shop', '--api', 'catalog', '--external-id', 'C-1', ...config]
    await expectRefused(taken, 1, 'externalId "C-1"')
  })

  it('are changed and removed by apps update', async () => {
    const { id } = await createApplication({ apis })
    const update = (...args: string[]) => runJson(['apps', 'update', id, ...args])
    expect((await update('--external-id', 'C-3', ...site.db())).application).toMatchObject({ externalId: 'C-3' })
    const file = join(dirname(site.file), 'metadata.json')
    await writeFile(file, '{ "discount": 20 }')
    const changed = await update('--metadata', `@${file}`, ...config)
    expect(changed.application).toMatchObject({ externalId: 'C-3', metadata: { discount: 20 } })
    const { application } = await update('--metadata', 'null', '--remove-external-id', ...config)
    expect(application).not.toHaveProperty('metadata')
    expect(application).not.toHaveProperty('externalId')
    expect(await printed('apps', 'show', id, ...site.db())).not.toMatch(/^(?:external id|metadata)/m)
  })

  it('are validated by the option metadata', async () => {
    const module = join(dirname(site.file), 'schema.mjs')
    await writeFile(
      module,
      `import options from ${JSON.stringify(CONFIG)}
       const validate = (value) => (value.discount > 50 ? { issues: [{ message: 'too much', path: ['discount'] }] } : { value })
       const metadata = { '~standard': { version: 1, vendor: 'test', validate } }
       export default () => ({ ...options(), metadata })`,
    )
    const { id } = await createApplication({ apis })
    for (const command of [
      ['update', id],
      ['create', '--name', 'Shop', '--api', 'catalog'],
    ]) {
      const result = await runInProcess(['apps', ...command, '--metadata', '{"discount":90}', '--config', module])
      expect(result).toEqual({ code: 1, stdout: '', stderr: 'express-platform-auth: metadata.discount: too much\n' })
    }
  })

  it.each([
    [['--metadata', '{"a":1}', '--db', 'x.sqlite'], 2, '--metadata needs --config MODULE'],
    [['--metadata', '{discount:1}', ...config], 2, "Quote it for the shell: --metadata '{"],
    [['--metadata', '@/nowhere.json', ...config], 1, '--metadata: /nowhere.json could not be read: ENOENT'],
    [['--metadata', '[1]', ...config], 1, 'metadata must be a JSON object, and is a list.'],
    [['--metadata', '{"__proto__":{}}', ...config], 1, 'metadata has a member "__proto__"'],
    [['--external-id', '', ...config], 1, 'externalId must be a string of 1 to 255 characters'],
    [
      ['--external-id', 'a', '--remove-external-id', ...config],
      2,
      'Give --external-id or --remove-external-id, not both.',
    ],
    [
      [...config],
      2,
      'Nothing to change: give --name, --contact, --language, --external-id, --metadata or --resource-server.',
    ],
  ])('are refused by apps update: %j', async (args, code, message) => {
    const { id } = await createApplication({ apis })
    const given = args.map((each) => (each === 'x.sqlite' ? site.file : each))
    const result = await runInProcess(['apps', 'update', id, ...given])
    expect({ ...result, stderr: '' }).toEqual({ code, stdout: '', stderr: '' })
    expect(result.stderr).toContain(message)
  })
})

it('--resource-server makes an application one, which calls no API itself, and takes that back', async () => {
  const args = ['--resource-server', 'orders', '--resource-server', 'catalog']
  const created = await runJson(['apps', 'create', '--name', 'Backend', ...args, ...config])
  expect(created).toMatchObject({
    application: { apis: {}, resourceServer: ['orders', 'catalog'] },
    credentials: { clientSecret: expect.stringMatching(/_sec_/) as string },
  })
  const { id } = created.application
  expect(await printed('apps', 'show', id, ...site.db())).toMatch(/^resource server of +orders\n +catalog$/m)
  const update = (...given: string[]) => runInProcess(['apps', 'update', id, ...given])
  const unknown = await update('--resource-server', 'oders', ...config)
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('There is no API "oders"')])
  const without = await update('--resource-server', 'orders', ...site.db())
  expect([without.code, without.stderr]).toEqual([2, expect.stringContaining('--config')])
  const both = await update('--resource-server', 'orders', '--remove-resource-server', ...config)
  expect([both.code, both.stderr]).toEqual([2, expect.stringContaining('not both')])
  expect(await update('--remove-resource-server', ...site.db())).toMatchObject({ code: 0 })
  expect((await runJson(['apps', 'show', id, ...site.db()])).application).not.toHaveProperty('resourceServer')
  const { items } = await runJson(['audit', id, ...site.db()])
  expect(items.map((each) => each.details['resourceServer'])).toEqual([['orders', 'catalog'], null])
})
