import { describe, expect, it } from 'vitest'
import { application } from '../../../src/core/applications/call-arguments.js'
import { withLateCalls } from '../../../src/core/applications/late-calls.js'

interface Calls {
  get(id: string): Promise<string>
}

function createCalls(load: () => Promise<Calls>) {
  let loads = 0
  const calls = withLateCalls<Calls>({ get: [application] }, () => {
    loads += 1
    return load()
  })
  return { calls, countLoads: () => loads }
}

describe('calls that are loaded late', () => {
  it('are loaded with the first of them, once', async () => {
    const { calls, countLoads } = createCalls(async () => ({ get: async (id) => `found ${id}` }))
    expect(countLoads()).toBe(0)
    expect(await calls.get('app_1')).toBe('found app_1')
    expect(await calls.get('app_2')).toBe('found app_2')
    expect(countLoads()).toBe(1)
  })

  it('refuse a wrong argument before they are loaded', async () => {
    const { calls, countLoads } = createCalls(async () => ({ get: async (id) => id }))
    await expect(calls.get(1 as never)).rejects.toMatchObject({ code: 'application_not_found' })
    expect(countLoads()).toBe(0)
  })

  it('reject where they cannot be loaded, and are loaded again by the next call', async () => {
    let isThere = false
    const { calls } = createCalls(async () => {
      if (!isThere) throw new Error('The module is gone.')
      return { get: async (id) => id }
    })
    await expect(calls.get('app_1')).rejects.toThrow('The module is gone.')
    isThere = true
    expect(await calls.get('app_1')).toBe('app_1')
  })
})
