import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createRedisCircuitBreaker } from '../../src/rate-limits/redis-circuit-breaker.js'

it('takes no late failure from before an outage for another outage', async () => {
  const told: unknown[] = []
  const redis = { status: 'ready', defineCommand: () => undefined }
  const link = createRedisCircuitBreaker({
    redis,
    probe: async () => undefined,
    onChange: (problem) => void told.push(problem),
  })
  const lost = new Error('lost')
  const [unanswered, refused] = [
    link.ask(() => sleep(60_000, 'late', { ref: false })),
    link.ask(() => Promise.reject(lost)),
  ]
  expect(await refused).toBe(undefined)
  expect(await unanswered).toBe(undefined)
  expect(told).toEqual([lost, undefined])
  expect(await link.ask(async () => 'answer')).toBe('answer')
  link.close()
})

it('says nothing more once it is closed', async () => {
  const told: unknown[] = []
  const redis = { status: 'ready', defineCommand: () => undefined }
  const link = createRedisCircuitBreaker({
    redis,
    probe: async () => undefined,
    onChange: (problem) => void told.push(problem),
  })
  await link.ask(() => Promise.reject(new Error('lost')))
  link.close()
  await sleep(300)
  expect(told).toHaveLength(1)
})
