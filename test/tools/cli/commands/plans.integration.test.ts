import { expect, it, onTestFinished, vi } from 'vitest'
import { formatDay } from '../../../../src/shared/lib/day.js'
import { sqliteStore } from '../../../../src/stores/sqlite/index.js'
import { CONFIG, createSite, expectRefused, printed, runInProcess } from '../command-line.js'

let id = ''
const site = await createSite(async (auth) => {
  id = (await auth.applications.create({ name: 'Shop', apis: ['catalog'] })).application.id
})
const store = sqliteStore(site.file)
await store.open()
await store.quotas.add({ id: '1', at: 0 }, [{ applicationId: id, day: formatDay(Date.now()), count: 12 }])
await store.close()

const plan = (...args: string[]) => runInProcess(['apps', 'plan', ...args, '--db', site.file])

it('apps plan needs the store alone to show a plan, to give another one, and to take it away', async () => {
  expect((await plan(id)).stdout).toBe('plan             -\nused today       12\nused this month  12\n')
  expect((await plan(id, 'gold', '--by', 'ann')).stdout).toMatch(
    /^plan +gold\n(?:.+\n)+Servers follow .+ have no "gold" answer 500: --config checks the name beforehand\.\n$/,
  )
  expect(JSON.parse((await plan(id, '--json')).stdout)).toEqual({
    applicationId: id,
    plan: 'gold',
    usedToday: 12,
    usedThisMonth: 12,
  })
  expect(await printed('apps', 'show', id, '--db', site.file)).toMatch(/^plan +gold$/m)
  const list = async (name: string): Promise<string[]> => {
    const { stdout } = await runInProcess(['apps', 'list', '--plan', name, '--json', '--db', site.file])
    return (JSON.parse(stdout) as { items: { id: string }[] }).items.map((each) => each.id)
  }
  expect([await list('gold'), await list('gol')]).toEqual([[id], []])
  const audit = await runInProcess(['audit', '--newest', '--limit', '1', '--db', site.file])
  expect(audit.stdout).toMatch(/application\.updated +ann /)
  expect((await plan(id, '--none')).stdout).toMatch(/^plan +-\n(?:.+\n)+Servers follow within a second\.\n$/)
})

it('quotas lists who runs out of the quotas of the options, and says that it needs the options', async () => {
  onTestFinished(() => void vi.unstubAllEnvs())
  vi.stubEnv('CLI_FILE', site.file)
  vi.stubEnv('CLI_QUOTA', '15')
  await plan(id, 'gold')
  const { stdout } = await runInProcess(['quotas', '--config', CONFIG])
  const end = formatDay(Date.now() + 24 * 3600 * 1000)
  expect(stdout.split('\n')[1]).toMatch(new RegExp(`^${id} +Shop +gold +12 +15 a day +80 +${end} 00:00:00Z$`))
  expect(await printed('quotas', '--above', '81', '--config', CONFIG)).toBe('No quota is used above 81 percent.\n')
  await expectRefused(['quotas', '--db', site.file], 2, '--config')
  await plan(id, '--none')
})

it('apps plan refuses a name that no plan can have, a plan with --none, and an id that does not exist', async () => {
  expect(await plan(id, 'two words')).toMatchObject({ code: 1, stderr: expect.stringContaining('no such plan') })
  expect(await plan(id, 'gold', '--none')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Give a plan or --none'),
  })
  expect((await plan('app_unknown', 'gold')).code).toBe(1)
})
