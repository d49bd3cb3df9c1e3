import { expect, it } from 'vitest'
import { createBatchWriter } from '../../../src/shared/lib/batch-writer.js'

it("goes on after what is told of added rows has thrown, and the host's logger, too", async () => {
  let waiting = [1]
  const added: number[] = []
  const fail = (): never => {
    throw new Error('of the host')
  }
  const writer = createBatchWriter<number, void>({
    add: async (_batch, rows) => void added.push(...rows),
    size: () => waiting.length,
    takeAll: () => waiting.splice(0),
    onAdded: fail,
    onError: fail,
    intervalMs: 60_000,
    now: Date.now,
  })
  expect(await writer.write()).toBe(true)
  waiting = [2]
  expect(await writer.write()).toBe(true)
  expect(added).toEqual([1, 2])
})
