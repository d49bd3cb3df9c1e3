import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createClientLimits } from '../../../src/core/store-client/client-limits.js'
import { waitUntil } from '../../support/wait-until.js'

/** Look-ups of strangers, each from another address, which end when they are told to. */
function startStrangers(limits: ReturnType<typeof createClientLimits>, count: number) {
  const running: (() => void)[] = []
  for (let i = 0; i < count; i++)
    // Those that never get a turn reject after this test.
    limits
      .limitLookupsOfStrangers(`192.0.2.${i}`, () => new Promise<void>((end) => running.push(end)))
      .catch(() => undefined)
  return running
}

function holdOperator({ goFirst }: ReturnType<typeof createClientLimits>) {
  let end!: () => void
  const ended = goFirst(() => new Promise<void>((resolve) => (end = resolve)))
  return { ended, end }
}

it('look-ups of strangers wait while a call of an operator is under way, and go on when it ends', async () => {
  const limits = createClientLimits({ concurrentCalls: 10 })
  const operator = holdOperator(limits)
  const strangers = startStrangers(limits, 20)
  await new Promise((resolve) => process.nextTick(resolve))
  expect(strangers).toHaveLength(0)
  operator.end()
  await operator.ended
  await waitUntil(() => strangers.length === 5)
})

it('a look-up of a known application waits for none of the strangers that wait', async () => {
  const limits = createClientLimits({ concurrentCalls: 10 })
  const strangers = startStrangers(limits, 500)
  await waitUntil(() => strangers.length === 5)
  let isKnownFound = false
  const known = limits.limitLookups('app_1', async () => void (isKnownFound = true))
  strangers.shift()!()
  await waitUntil(() => strangers.length === 5 || isKnownFound)
  await nextTurn()
  expect(isKnownFound).toBe(true)
  await known
})

it('strangers go on while calls of operators follow one another without a pause', async () => {
  const limits = createClientLimits({ concurrentCalls: 10 })
  const operator = holdOperator(limits)
  let found = 0
  await Promise.all(
    Array.from({ length: 50 }, (_, i) => limits.limitLookupsOfStrangers(`192.0.2.${i}`, async () => (found += 1))),
  )
  expect(found).toBe(50)
  operator.end()
  await operator.ended
})
