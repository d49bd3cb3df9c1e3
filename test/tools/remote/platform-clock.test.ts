import { expect, it } from 'vitest'
import { createPlatformClock } from '../../../src/tools/remote/platform-client.js'

const MINUTE = 60_000

it('follows the time that the platform tells, whatever the clock of this machine says', () => {
  const clock = createPlatformClock()
  const time = Date.now() + 10 * MINUTE
  clock.set(time, performance.now())
  expect(clock.now() - time).toBeGreaterThanOrEqual(-1)
  expect(clock.now() - time).toBeLessThan(MINUTE)
})

it('is more exact after a quicker answer, and no less after a slower one', () => {
  const clock = createPlatformClock()
  // The request began a minute ago: the time was told at any moment since.
  clock.set(Date.now(), performance.now() - MINUTE)
  clock.set(Date.now() + MINUTE, performance.now())
  expect(Math.abs(clock.now() - Date.now() - MINUTE)).toBeLessThan(MINUTE / 2)
  clock.set(Date.now(), performance.now() - 2 * MINUTE)
  expect(Math.abs(clock.now() - Date.now() - MINUTE)).toBeLessThan(MINUTE / 2)
})

it('is set back only by many answers, not by one process of the platform whose clock is behind', () => {
  const clock = createPlatformClock()
  clock.set(Date.now(), performance.now())
  for (let answer = 0; answer < 9; answer++) clock.set(Date.now() - 2 * MINUTE, performance.now())
  expect(Date.now() - clock.now()).toBeLessThan(MINUTE)
  clock.set(Date.now(), performance.now() - MINUTE)
  for (let answer = 0; answer < 10; answer++) clock.set(Date.now() - 2 * MINUTE, performance.now())
  expect(Date.now() - clock.now()).toBeGreaterThan(MINUTE)
})
