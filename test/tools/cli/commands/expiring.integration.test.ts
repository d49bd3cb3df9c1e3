import { describe, expect, it } from 'vitest'
import type { Application } from '../../../../src/index.js'
import { createSite, runInProcess, runJson } from '../command-line.js'

const site = await createSite(
  async ({ applications }) => {
    await applications.create({ name: 'Catalog', contact: 'dev@shop.example', apis: ['catalog'] })
    await applications.create({ name: 'Both', apis: ['orders', 'catalog'] })
    const rotated = await applications.create({ name: 'Rotated', apis: ['catalog'] })
    await applications.rotateKey(rotated.application.id, { overlap: 3600 })
  },
  { credentials: { maxAge: 60 } },
)

describe('apps list --expiring', () => {
  const list = (...args: string[]): readonly string[] => ['apps', 'list', '--expiring', ...args, '--db', site.file]

  it('shows applications with the first credential that expires within that time, what expires first at the top', async () => {
    const { stdout } = await runInProcess(list('90d'))
    const [head, ...rows] = stdout.trimEnd().split('\n')
    expect(head).toMatch(/^ID +NAME +STATUS +CONTACT +EXPIRES +CREDENTIAL$/)
    const time = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ`
    const row = (start: string, end = '') =>
      expect.stringMatching(
        new RegExp(String.raw`^app_\w+ +${start} +${time} +key default \(epa_key_\w{4}\.\.\.\)${end}$`),
      ) as string
    expect(rows).toEqual([
      row('Rotated +active +-', ' and 1 more'),
      row(String.raw`Catalog +active +dev@shop\.example`),
      row('Both +active +-', ' and 1 more'),
    ])
  })

  it('prints JSON, page by page and all pages', async () => {
    const names = (items: readonly Application[]): string[] => items.map(({ name }) => name)
    const soon = await runJson(list('1d'))
    expect(names(soon.items)).toEqual(['Rotated'])
    expect(soon.items[0]?.keys.map(({ expiresAt }) => typeof expiresAt)).toEqual(['string', 'string'])
    const first = await runJson(list('1440h', '--limit', '2'))
    expect(names(first.items)).toEqual(['Rotated', 'Catalog'])
    expect(names((await runJson(list('1440h', '--after', first.next!))).items)).toEqual(['Both'])
    const { stdout } = await runInProcess([...list('61d', '--all', '--limit', '1'), '--json'])
    const items = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Application)
    expect(names(items)).toEqual(['Rotated', 'Catalog', 'Both'])
    expect(names((await runJson(list('90d', '--api', 'orders'))).items)).toEqual(['Both'])
  })

  it('says that there are none, and how to write a time', async () => {
    expect((await runInProcess(list('0d'))).stdout).toMatch(/^No credential expires before \d{4}-.*Z\.\n$/)
    for (const time of ['30', 'd', '30m', '1.5d', '-1d', '1000000d']) {
      const { code, stderr } = await runInProcess(list(time))
      expect([code, stderr.split('\n')[0]]).toEqual([
        2,
        expect.stringContaining(
          time === '-1d' ? '--expiring' : `--expiring is "${time}". Write days or hours, such as 30d or 12h.`,
        ),
      ])
    }
  })
})
