import { describe, expect, it } from 'vitest'
import { createConcurrencyLimit } from '../../src/lib/concurrency-limit.js'

/** Work that ends when it is told to. */
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

describe('a gate', () => {
  it('lets so many through at once, and the others in their order as places come free', async () => {
    const gate = createConcurrencyLimit({ atOnce: 2, waiting: 10 })
    const { begun, do: doing, end } = work()
    const all = [1, 2, 3, 4].map((one) => gate(doing(one)))
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

  it('refuses the one that is too many, and goes on after work that failed', async () => {
    const gate = createConcurrencyLimit({ atOnce: 1, waiting: 1 })
    const { do: doing, end } = work()
    const failing = gate(() => Promise.reject(new Error('no')))
    const waiting = gate(doing(1))
    await expect(gate(doing(2))).rejects.toMatchObject({ code: 'store_unavailable' })
    await expect(failing).rejects.toThrow('no')
    await expect.poll(() => (end(1), true)).toBe(true)
    expect(await waiting).toBe(1)
    const after = gate(doing(3))
    end(3)
    expect(await after).toBe(3)
  })
})
