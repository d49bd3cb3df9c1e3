import { describe, expect, it } from 'vitest'
import { createApplication, runInProcess, runJson, useSite } from '../command-line.js'

const site = useSite()

describe('apps networks and apps limit', () => {
  const run = (...args: string[]) => runInProcess([...args, '--db', site.file])

  it('change an application and show it, on the store alone', async () => {
    const { id, keys } = await createApplication({ apis: ['catalog'] })
    const networks = await run('apps', 'networks', id, '203.0.113.0/24,2001:DB8::/32')
    expect(networks.stdout).toContain('may be used from 203.0.113.0/24, 2001:DB8::/32 only')
    await run('apps', 'networks', id, '198.51.100.7', '--credential', keys[0]!.id)
    const limited = await run('apps', 'limit', id, 'catalog', '50/1', '--until', '2099-01-31')
    expect(limited.stdout).toContain('has catalog: 50 requests in 1 s, until')
    expect((await run('apps', 'limit', id, '*', '100/60')).stdout).toContain('has every API: 100 requests in 60 s.')
    const { stdout } = await run('apps', 'show', id)
    expect(stdout).toMatch(/^networks +203\.0\.113\.0\/24\n +2001:db8::\/32$/m)
    expect(stdout).toMatch(/^limits +catalog: 50 requests in 1 s, until .*\n +every API: 100 requests in 60 s$/m)
    expect(stdout).toMatch(/^keys .*from 198\.51\.100\.7\/32$/m)
    await run('apps', 'networks', id, 'any')
    expect((await run('apps', 'limit', id, '*', 'none')).stdout).toContain("has the API's own limits.")
    await run('apps', 'limit', id, 'catalog', 'none')
    const cleared = (await runJson(['apps', 'show', id, '--db', site.file])).application
    expect(cleared).not.toHaveProperty('networks')
    expect(cleared.rateLimits).toEqual({})
  })

  it('refuse what they cannot read', async () => {
    const { id } = await createApplication({ apis: ['catalog'] })
    for (const args of [
      ['apps', 'networks', id, '203.0.113.1/24'],
      ['apps', 'networks', id, ''],
      ['apps', 'limit', id, 'catalog', '50'],
      ['apps', 'limit', id, 'catalog', '0/1'],
      ['apps', 'limit', id, 'catalog', '50/1', '--until', 'tomorrow'],
      ['apps', 'limit', id, 'orders', '50/1'],
    ])
      expect((await run(...args)).code, args.join(' ')).not.toBe(0)
  })
})
