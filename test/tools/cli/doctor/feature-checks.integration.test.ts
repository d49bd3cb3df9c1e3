import { describe, expect, it, vi, onTestFinished } from 'vitest'
import { openPlatform, type FullPlatform } from '../../../support/platform.js'
import { sqliteStore } from '../../../../src/stores/sqlite/index.js'
import { memoryMailer } from '../../../../src/tools/testing/index.js'
import { email } from '../../../stores/suite/records.js'
import { config, createSite } from '../command-line.js'
import { find, runDoctor, useDoctorSite } from './doctor-site.js'

const { getFile, switchTo, withStore, writeConfig } = useDoctorSite()
/** The options of `platform.mjs`, with other features or none. */
const writeFeatures = (features: string): Promise<readonly string[]> =>
  writeConfig(`
    import { emails } from ${JSON.stringify(import.meta.resolve('express-platform-auth/emails'))}
    import { registration } from ${JSON.stringify(import.meta.resolve('express-platform-auth/registration'))}
    export default { ...base(), features: ${features} }`)

const listStored = async (args: readonly string[]): Promise<unknown> =>
  (await find('stored without a feature', args)).map(({ level, finding }) => [level, finding])

describe('the doctor on what is stored without a feature', () => {
  it('finds plans that the options do not have: requests get 500, or the server does not start', async () => {
    let id = ''
    await switchTo(
      await createSite(async (auth) => {
        id = (await auth.applications.create({ name: 'Shop', apis: ['catalog'] })).application.id
      }),
    )
    await withStore(async (store) => {
      const record = (await store.findApplication(id))!
      await store.saveApplication({ ...record, plan: 'gold', version: record.version + 1 }, undefined)
    })
    const withPlans = (names: string): Promise<readonly string[]> =>
      writeConfig(`
        import { plans } from ${JSON.stringify(import.meta.resolve('express-platform-auth/plans'))}
        export default { ...base(), features: [plans({ ${names} })] }`)
    const application = `1 application has a plan`
    expect(await listStored(await writeFeatures('[]'))).toEqual([
      [
        'problem',
        `${application}, such as ${id} ("gold"), and the options have no plans(): this server does not start.`,
      ],
    ])
    expect(await listStored(await withPlans('free: { requests: [] }'))).toEqual([
      ['problem', `${application} that plans() does not have, such as ${id} ("gold"): their requests get 500.`],
    ])
    expect(await listStored(await withPlans('gold: { requests: [] }'))).toEqual([])
  })

  it('finds e-mails that wait, registrations that wait, and counts, unless the options give the feature', async () => {
    await switchTo(
      await createSite(
        async (auth) => {
          const { registration } = auth as FullPlatform
          for (const name of ['Buyer', 'Seller'])
            await registration.register({ name, contact: 'dev@shop.example', apis: ['orders'] })
        },
        { mailer: memoryMailer() },
      ),
    )
    const registrations = [
      'note',
      '2 registrations wait for a decision, and the options have no registration() with its pages.',
    ]
    const applicationId = await withStore(async (store) => {
      const [held] = await store.emails.list({ applicationId: undefined, state: 'held', limit: 1 })
      return held!.applicationId
    })
    const addCount = (id: string, day: string) =>
      withStore((store) =>
        store.usage.add({ id, at: Date.now() }, [{ day, applicationId, api: 'orders', outcome: 'allowed', count: 1 }]),
      )
    await addCount('old', '2001-01-01')
    expect(await listStored(await writeFeatures('[]')), 'counts of another year').toEqual([registrations])
    await addCount('new', new Date().toISOString().slice(0, 10))
    await withStore(async (store) => {
      const record = (await store.findApplication(applicationId))!
      const due = email('due', { applicationId, state: 'due', purpose: 'registration' })
      expect(await store.saveApplication({ ...record, version: record.version + 1 }, undefined, { save: due })).toBe(
        true,
      )
    })
    const emails = ['problem', '1 e-mail waits, and the options have no emails() to send them.']
    const counts = [
      'note',
      'There are counts of the last 30 days, and the options have no usage(): this server counts nothing, and deletes no old counts.',
    ]
    expect(await listStored(await writeFeatures('[]'))).toEqual([emails, registrations, counts])
    expect(await listStored(await writeFeatures('undefined'))).toEqual([emails, registrations, counts])
    // platform.mjs has usage(), and the others with CLI_MAIL.
    expect(await listStored(config)).toEqual([emails, registrations])
    const sending = await writeFeatures('[emails({ mailer: { async send() {} } }), false, undefined]')
    expect(await listStored(sending)).toEqual([registrations, counts])
    vi.stubEnv('CLI_MAIL', `${getFile()}.emails`)
    expect(await listStored(config)).toEqual([])
  })

  it('needs the options and a store', async () => {
    const { skipped } = await runDoctor('--db', getFile())
    expect(skipped).toContainEqual({ check: 'stored without a feature', requires: '--config' })
    vi.stubEnv('CLI_FILE', '')
    expect((await runDoctor(...config)).skipped).toContainEqual({
      check: 'stored without a feature',
      requires: 'a store that can be opened',
    })
  })
})

describe('the doctor on features', () => {
  it('reports wrong options once, as a problem of the options', async () => {
    const wrong = await writeFeatures('[registration({ operators: 5 })]')
    expect(await find('features', wrong)).toEqual([])
    expect(await find('options', wrong)).toMatchObject([{ level: 'problem' }])
  })

  it('asks them also if the store is unavailable, and sends nothing', async () => {
    const broken = await writeFeatures(
      `[emails({ mailer: { async send() { throw new Error('sent') }, async verify() { throw new Error('no route') } } })]`,
    )
    const down = [...broken, '--db', 'postgres://me:hidden@127.0.0.1:1/x']
    expect(await find('features', down)).toMatchObject([
      { level: 'problem', finding: 'The mail server cannot be used: no route.' },
    ])
  })
})

describe('the doctor on processes that run', () => {
  const archive = { scheme: 'apiKey', registration: 'closed' } as const
  const start = async (keyHeader: string): Promise<void> => {
    const apis = { archive: { ...archive, header: keyHeader }, other: { scheme: 'oauth2' } } as const
    const { auth } = openPlatform({ baseUrl: 'http://localhost:3000', apis, store: sqliteStore(getFile()) })
    onTestFinished(() => auth.close())
    await auth.ready()
  }
  const countRunning = (): Promise<number> => withStore(async (store) => (await store.processes.list(15_000)).length)
  const list = async (args: readonly string[]): Promise<unknown> =>
    (await find('processes', args)).map(({ level, finding }) => [level, finding])
  const process = String.raw`\([^,]+/\d+/[0-9a-f]{8}\)`

  it('names what the options have otherwise than those, and those than one another, and nothing that only one has', async () => {
    await start('X-Api-Key')
    await expect.poll(countRunning).toBe(1)
    expect(await list(config)).toEqual([])
    await start('X-Archive')
    await expect.poll(countRunning).toBe(2)
    const differs = `apis.archive.header differs: "x-(api-key|archive)" ${process}, "x-(api-key|archive)" ${process}.`
    expect(await list(['--db', getFile()])).toEqual([['note', expect.stringMatching(differs)]])
    const other = await writeConfig(`export default { ...base(), baseUrl: 'http://localhost:4000' }`)
    expect(await list(other)).toEqual([
      [
        'note',
        expect.stringMatching(
          /baseUrl differs: "http:..localhost:3000" \(.*, .*\), "http:..localhost:4000" \(these options\)/,
        ),
      ],
      ['note', expect.stringMatching(/apis.archive.header differs: .*these options/)],
    ])
    // Another check starts a platform on trial, which must not be announced.
    expect(await countRunning()).toBe(2)
  })
})
