import { expect, it } from 'vitest'
import { createClientLimits } from '../../src/store-client/client-limits.js'

it('password hashes are computed one at a time, and callers take turns', async () => {
  const { limitSlowHashes } = createClientLimits({})
  const started: string[] = []
  let running = 0
  async function compute(caller: string): Promise<void> {
    started.push(caller)
    running += 1
    await new Promise((resolve) => setImmediate(resolve))
    expect(running).toBe(1)
    running -= 1
  }
  const flood = Array.from({ length: 20 }, () => limitSlowHashes('flooding', () => compute('flooding')))
  await Promise.all([...flood, limitSlowHashes('other', () => compute('other'))])
  expect(started).toHaveLength(21)
  expect(started.indexOf('other')).toBeLessThan(4)
})
