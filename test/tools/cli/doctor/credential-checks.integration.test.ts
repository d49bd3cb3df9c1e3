import { describe, expect, it, vi } from 'vitest'
import type { Finding } from '../../../../src/tools/cli/doctor/finding.js'
import type { PlatformAuth } from '../../../../src/index.js'
import type { TestOptions } from '../../../support/platform.js'
import { createSite, printed } from '../command-line.js'
import { find, useDoctorSite } from './doctor-site.js'

const { getFile, switchTo, withStore, writeConfig } = useDoctorSite()
const db = (): readonly string[] => ['--db', getFile()]

const populate = async (work: (auth: PlatformAuth) => Promise<unknown>, options?: TestOptions): Promise<void> =>
  switchTo(await createSite(work, options))

describe('the doctor on credentials', () => {
  it('notes which expire within 30 days, and how to list them', async () => {
    expect(await find('expiring credentials', db())).toEqual([])
    let id = ''
    await populate(
      async ({ applications }) => {
        id = (await applications.create({ name: 'Shop', apis: ['catalog'] })).application.id
      },
      { credentials: { maxAge: 20 } },
    )
    expect(await find('expiring credentials', db())).toEqual([
      {
        level: 'note',
        check: 'expiring credentials',
        finding: expect.stringMatching(
          new RegExp(
            String.raw`^1 application has credentials that expire within 30 days, the first at \d{4}-.*Z: ${id}\.$`,
          ),
        ),
        fix: 'express-platform-auth apps list --expiring 30d',
      },
    ])
  })

  it('reports reminders that nobody gets, because there is no mailer or because they are not options of emails()', async () => {
    const emails = JSON.stringify(import.meta.resolve('express-platform-auth/emails'))
    const check = async (source: string): Promise<readonly Finding[]> =>
      find('options', await writeConfig(`import { emails } from ${emails}\n${source}`))
    expect(await check('export default { ...base(), features: [emails({ remindBefore: [7] })] }')).toMatchObject([
      { level: 'problem', finding: 'emails.mailer is missing.', fix: expect.stringContaining('smtpMailer') },
    ])
    expect(await check('export default { ...base(), credentials: { remindBefore: [7] } }')).toMatchObject([
      { level: 'problem', fix: 'There are: prefix, maxAge.' },
    ])
    for (const options of ['remindBefore: [7], ', '']) {
      expect(
        await check(`export default { ...base(), features: [emails({ ${options}mailer: { send() {} } })] }`),
      ).toEqual([])
    }
  })

  it('names the applications whose key set cannot be read at its address', async () => {
    let id = ''
    const keySet = { jwksUri: 'https://bank.example/jwks.json' }
    await populate(async ({ applications }) => {
      id = (await applications.create({ name: 'Bank', apis: ['orders'], keySet })).application.id
    })
    const config = await writeConfig(`const { apis, ...options } = base()
      export default { ...options, apis: { ...apis, orders: { ...apis.orders, clientAuthentication: ['private_key_jwt'] } } }`)
    const check = () => find('addresses of key sets', [...config, ...db()])
    expect(await check()).toEqual([])
    await withStore(async (store) => {
      const { secrets, version, ...record } = (await store.findApplication(id))!
      const failing = { address: keySet.jwksUri, reloadedAt: 0, outage: { since: Date.now() } }
      const changed = secrets.map((secret) => ({ ...secret, keySet: failing }))
      await store.saveApplication({ ...record, secrets: changed, version: version + 1 }, undefined)
    })
    expect(await check()).toMatchObject([{ level: 'note', finding: expect.stringContaining(id) as string }])
    expect(await printed('apps', 'show', id, ...db())).toContain('not readable since')
  })

  it('names the applications whose credentials do not keep to a maximum age', async () => {
    const ids: string[] = []
    await populate(async ({ applications }) => {
      for (const apis of [['orders', 'catalog'], ['catalog']] as const) {
        ids.push((await applications.create({ name: 'Shop', apis })).application.id)
      }
    })
    const check = async (source: string): Promise<readonly Finding[]> =>
      find('age of credentials', [...(await writeConfig(source)), ...db()])
    expect(await check('export default base()')).toEqual([])
    const [found] = await check('export default { ...base(), credentials: { maxAge: 90 } }')
    expect(found).toMatchObject({
      level: 'note',
      finding: `2 applications have credentials without an expiry, or with one beyond the maximum age: ${ids.join(', ')}. They were made before there was one.`,
    })
    const perApi = `const { apis, ...options } = base()
      export default { ...options, apis: { ...apis, orders: { ...apis.orders, credentialMaxAge: 30 } } }`
    expect(await check(perApi)).toMatchObject([
      { finding: expect.stringMatching(new RegExp(`^1 application has .*: ${ids[0]}\\. `)) },
    ])
  })
})

describe('the doctor on scopes', () => {
  it('names the applications that have an API without any of its scopes, and the command that grants some', async () => {
    const ids: string[] = []
    await populate(async ({ applications }) => {
      for (const apis of [['orders', 'catalog'], ['catalog'], { orders: { scopes: [] } }] as const)
        ids.push((await applications.create({ name: 'Shop', apis })).application.id)
    })
    const check = async (catalog: string): Promise<readonly Finding[]> => {
      const source = `const { apis, ...options } = base()
        export default { ...options, apis: { ...apis, catalog: { ...apis.catalog, ${catalog} } } }`
      return (await find('scopes', [...(await writeConfig(source)), ...db()])).filter(({ finding }) =>
        finding.includes('"catalog"'),
      )
    }
    expect(await check('')).toEqual([])
    const scopes = `scopes: { 'catalog:read': 'Read', 'catalog:write': 'Write' }`
    expect(await check(`${scopes}, defaultScopes: ['catalog:read']`)).toEqual([])
    expect(await check(scopes)).toEqual([
      {
        level: 'note',
        check: 'scopes',
        finding: `2 applications have the API "catalog" without any of its scopes: ${ids[0]}, ${ids[1]}. Guards that require scopes answer 403.`,
        fix: 'express-platform-auth apps allow ID catalog --scope catalog:read. Or say with defaultScopes what such a grant means.',
      },
    ])
    expect(await find('scopes', [...(await writeConfig('export default base()')), ...db()])).toMatchObject([
      { finding: expect.stringContaining(`1 application has the API "orders" without any of its scopes: ${ids[2]}.`) },
    ])
  })
})

describe('the doctor on report-only guards', () => {
  it('finds what they have let pass in the last 24 hours, whatever the options say', async () => {
    const count = {
      applicationId: '',
      api: 'orders',
      route: 'GET /orders/items',
      reason: 'no_credential',
      count: 3,
      firstAt: 0,
    }
    await withStore((store) =>
      store.usage.addReported({ id: '1', at: 0 }, [{ ...count, api: 'catalog', lastAt: Date.now() - 90_000_000 }]),
    )
    expect(await find('guards that only report', db())).toEqual([])
    await withStore((store) => store.usage.addReported({ id: '2', at: 0 }, [{ ...count, lastAt: Date.now() - 1000 }]))
    expect(await find('guards that only report', db())).toMatchObject([
      {
        level: 'note',
        finding: expect.stringMatching(/^In the last 24 hours report-only guards let .*API "orders"\.$/),
        fix: expect.stringContaining('express-platform-auth report-only'),
      },
    ])
  })

  it('finds those of the options, also before the first request', async () => {
    const config = await writeConfig('export default { ...base(), reportOnly: true }')
    expect(await find('options', config)).toMatchObject([
      { level: 'note', finding: 'reportOnly is set: requests that guards would refuse pass.' },
    ])
    vi.stubEnv('NODE_ENV', 'production')
    expect(await find('options', config)).toContainEqual(
      expect.objectContaining({ level: 'problem', finding: 'reportOnly is true, and has no end.' }),
    )
  })
})
