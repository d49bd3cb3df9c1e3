import { describe, expect, it } from 'vitest'
import { createConcurrencyLimit } from '../../../src/shared/lib/concurrency-limit.js'

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
    const all = [1, 2, 3, 4].map((one) => limit('caller', doing(one)))
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
    const failing = limit('caller', () => Promise.reject(new Error('no')))
    const waiting = limit('caller', doing(1))
    await expect(limit('caller', doing(2))).rejects.toThrow('overflow')
    await expect(failing).rejects.toThrow('no')
    await expect.poll(() => (end(1), true)).toBe(true)
    expect(await waiting).toBe(1)
    const after = limit('caller', doing(3))
    end(3)
    expect(await after).toBe(3)
  })

  it('lets callers take turns, so that one with many calls does not delay others', async () => {
    const limit = createConcurrencyLimit({ atOnce: 1, waiting: 100, onOverflow })
    const { begun, do: doing, end } = work()
    const all = [10, 11, 12, 13].map((one) => limit('many', doing(one)))
    all.push(limit('one', doing(20)), limit('two', doing(30)), limit('two', doing(31)))
    for (const next of [10, 11, 20, 30, 12, 31, 13]) {
      await expect.poll(() => begun.at(-1)).toBe(next)
      end(next)
    }
    await Promise.all(all)
  })

  it('drops the last call of the longest queue if too many wait', async () => {
    const limit = createConcurrencyLimit({ atOnce: 1, waiting: 3, onOverflow })
    const { begun, do: doing, end } = work()
    const [first, second, third, fourth] = [10, 11, 12, 13].map((one) => limit('many', doing(one)))
    const one = limit('one', doing(20))
    await expect(fourth).rejects.toThrow('overflow')
    // Now both queues have a share that the other must not take.
    const two = limit('two', doing(30))
    await expect(third).rejects.toThrow('overflow')
    await expect(limit('many', doing(14))).rejects.toThrow('overflow')
    await expect(limit('one', doing(21))).rejects.toThrow('overflow')
    for (const next of [10, 11, 20, 30]) {
      await expect.poll(() => begun.at(-1)).toBe(next)
      end(next)
    }
    expect(await Promise.all([first, second, one, two])).toEqual([10, 11, 20, 30])
  })
})
