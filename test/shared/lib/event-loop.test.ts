import { expect, it, onTestFinished, vi } from 'vitest'
import { waitForNextTurn } from '../../../src/shared/lib/event-loop.js'

it('waitForNextTurn() resolves in a later turn, also while the host fakes timers', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const order: string[] = []
  const turn = waitForNextTurn().then(() => order.push('turn'))
  await Promise.resolve()
  order.push('microtask')
  await turn
  expect(order).toEqual(['microtask', 'turn'])
})
