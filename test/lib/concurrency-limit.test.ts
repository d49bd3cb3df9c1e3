import { describe, expect, it } from 'vitest'
import { createConcurrencyLimit } from '../../src/lib/concurrency-limit.js'

/** Work that ends on command. */
function work() {
  const begun: number[] = []
  const ends = new Map<number, () => void>()
  return {
    begun,
    do: (one: number) => (): Promise<number> => {
      begun.push(one)
      return new Promise((resolve) => ends.set(one, () => resolve(one)))
    },
    end: (one: number) => ends.get(one)!(),
  }
}

const onOverflow = (): Error => new Error('overflow')

describe('createConcurrencyLimit', () => {
  it('runs a bounded number at once and starts the others in order', async () => {
    const limit = createConcurrencyLimit({ atOnce: 2, waiting: 10, onOverflow })
    const { begun, do: doing, end } = work()
    const all = [1, 2, 3, 4].map((one) => limit(doing(one)))
    await Promise.resolve()
    expect(begun).toEqual([1, 2])
    end(2)
    await expect.poll(() => begun).toEqual([1, 2, 3])
    end(1)
    end(3)
    await expect.poll(() => begun).toEqual([1, 2, 3, 4])
    end(4)
    expect(await Promise.all(all)).toEqual([1, 2, 3, 4])
  })

  it('rejects a call that exceeds the queue, and goes on after work that failed', async () => {
    const limit = createConcurrencyLimit({ atOnce: 1, waiting: 1, onOverflow })
    const { do: doing, end } = work()
    const failing = limit(() => Promise.reject(new Error('no')))
    const waiting = limit(doing(1))
    await expect(limit(doing(2))).rejects.toThrow('overflow')
    await expect(failing).rejects.toThrow('no')
    await expect.poll(() => (end(1), true)).toBe(true)
    expect(await waiting).toBe(1)
    const after = limit(doing(3))
    end(3)
    expect(await after).toBe(3)
  })
})
