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

  it('lets parties take turns, and in a party its members, whatever number of members a flood has', async () => {
    const limit = createConcurrencyLimit({ atOnce: 1, waiting: 100, onOverflow })
    const { begun, do: doing, end } = work()
    let rejected = 0
    const begin = (caller: string, one: number) => void limit(caller, doing(one)).catch(() => (rejected += 1))
    for (let member = 0; member <= 10_000; member++) begin(`flood ${member}`, member)
    expect(rejected).toBe(0)
    await new Promise(setImmediate)
    expect(rejected).toBe(9900)
    for (const one of [20_000, 20_001, 20_002]) begin('quiet a', one)
    begin('quiet b', 20_003)
    begin('alone', 20_004)
    // The flood has one turn in three, and of the other party each member one in two.
    for (const next of [0, 1, 20_000, 20_004, 2, 20_003, 3, 20_001, 4, 20_002, 5]) {
      expect(begun.at(-1)).toBe(next)
      end(next)
      await new Promise(setImmediate)
    }
    // Each call of the others has displaced one of the flood.
    expect(rejected).toBe(9905)
  })

  it('drops a call of the party with most, where too many wait, and in a party of the member with most', async () => {
    const limit = createConcurrencyLimit({ atOnce: 1, waiting: 4, onOverflow })
    const { do: doing } = work()
    const dropped: string[] = []
    const begin = (caller: string) => void limit(caller, doing(0)).catch(() => dropped.push(caller))
    for (const caller of ['flood a', 'flood a', 'flood a', 'flood a', 'flood b']) begin(caller)
    begin('flood c')
    begin('other a')
    begin('other b')
    begin('other b')
    await new Promise(setImmediate)
    expect(dropped).toEqual(['flood a', 'flood a', 'flood c', 'other b'])
  })
})
