import { stat as statWithCallback } from 'node:fs'
import { stat } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { withTimeout } from '../../../src/shared/lib/timeout.js'

const createError = (): Error => new Error('too late')
const NEVER = new Promise<never>(() => undefined)

describe('withTimeout', () => {
  it('resolves and rejects as the work does', async () => {
    expect(await withTimeout(Promise.resolve(1), 1000, createError)).toBe(1)
    await expect(withTimeout(Promise.reject(new Error('failed')), 1000, createError)).rejects.toThrow('failed')
  })

  it('accepts a result that is no promise', async () => {
    // Stores and mailers of hosts may be plain JavaScript.
    expect(await withTimeout(1 as unknown as Promise<number>, 1000, createError)).toBe(1)
  })

  it('rejects with the given error after the time', async () => {
    // The time-out does not keep the process alive; this timer does.
    const alive = sleep(5000, undefined, { ref: true })
    const since = performance.now()
    await expect(Promise.race([withTimeout(NEVER, 20, createError), alive])).rejects.toThrow('too late')
    expect(performance.now() - since).toBeGreaterThan(15)
  })

  it('prefers an answer that arrived while the event loop was blocked', async () => {
    const work = new Promise<string>((resolve) => statWithCallback('.', () => resolve('answer')))
    const result = withTimeout(work, 5, createError)
    const until = performance.now() + 30
    while (performance.now() < until);
    // Now both the timer is due and the answer is there.
    await expect(Promise.race([result, sleep(5000)])).resolves.toBe('answer')
  })

  it('leaves the work some time after the process was suspended for longer than it may take', async () => {
    async function readOften(): Promise<string> {
      for (let i = 0; i < 20; i++) await stat('.')
      return 'answer'
    }
    const result = withTimeout(readOften(), 1600, createError)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1700)
    expect(await result).toBe('answer')
  })
})
