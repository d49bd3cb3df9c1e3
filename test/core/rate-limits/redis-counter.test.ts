import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createRedisCircuitBreaker } from '../../../src/core/rate-limits/redis-counter.js'

function open() {
  const changes: unknown[] = []
  const redis = { status: 'ready', defineCommand: () => undefined }
  const onChange = (problem: unknown): void => void changes.push(problem)
  return { circuitBreaker: createRedisCircuitBreaker({ redis, probe: async () => undefined, onChange }), changes }
}

it('ignores a time-out of a command that was sent before an outage that is over', async () => {
  const { circuitBreaker, changes } = open()
  const lost = new Error('lost')
  const [unanswered, refused] = [
    circuitBreaker.ask(() => sleep(60_000, 'late', { ref: false })),
    circuitBreaker.ask(() => Promise.reject(lost)),
  ]
  expect(await refused).toBe(undefined)
  expect(await unanswered).toBe(undefined)
  expect(changes).toEqual([lost, undefined])
  expect(await circuitBreaker.ask(async () => 'answer')).toBe('answer')
  circuitBreaker.close()
})

it('reports no change after close()', async () => {
  const { circuitBreaker, changes } = open()
  await circuitBreaker.ask(() => Promise.reject(new Error('lost')))
  circuitBreaker.close()
  await sleep(300)
  expect(changes).toHaveLength(1)
})
