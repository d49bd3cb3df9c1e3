import { describe, expect, it, vi } from 'vitest'
import { createFairTurns } from '../../../src/shared/lib/fair-turns.js'

/** Work that ends on command, and the order in which it began. */
function open(options: { waiting?: number; timeout?: number } = {}) {
  const takeTurn = createFairTurns({ waiting: 100, timeout: 60_000, ...options, onRefused: () => new Error('no turn') })
  const begun: string[] = []
  let end: () => void = () => undefined
  const call = (group: string, member: string, steps = 1, chargedAhead = 0): Promise<void> =>
    takeTurn(
      { group, member, chargedAhead },
      Array.from({ length: steps }, (_, step) => () => {
        begun.push(`${group}${member}${'+'.repeat(step)}`)
        return new Promise<undefined>((resolve) => (end = () => resolve(undefined)))
      }),
    )
  async function endTurns(count: number): Promise<string[]> {
    for (let i = 1; i <= count; i++) {
      const before = begun.length
      end()
      if (i < count) await vi.waitFor(() => expect(begun.length).toBe(before + 1))
    }
    return begun
  }
  /** Ends running turns until so many have begun. */
  async function begin(count: number): Promise<string[]> {
    while (begun.length < count) {
      const before = begun.length
      end()
      await vi.waitFor(() => expect(begun.length).toBe(before + 1))
    }
    return begun
  }
  return { call, begun, endTurns, begin }
}

describe('turns', () => {
  it('come for a new group after the running one, however many groups and members wait', async () => {
    const { call, endTurns } = open()
    const groups = ['a', 'b', 'c', 'd', 'e', 'f']
    const first = groups.map((group) => call(group, '1'))
    await endTurns(6)
    await Promise.all(first)
    const flood = groups.flatMap((group) => ['1', '2', '3'].map((member) => call(group, member)))
    flood.push(call('new', '1'))
    expect((await endTurns(19)).slice(6, 8)).toEqual(['a1', 'new1'])
    await Promise.all(flood)
  })

  it('come in a group for the member that had the fewest', async () => {
    const { call, endTurns } = open()
    const flood = ['1', '2', '1', '2', '1', '2'].map((member) => call('a', member))
    flood.push(call('a', '3'))
    expect((await endTurns(7)).indexOf('a3')).toBeLessThan(3)
    await Promise.all(flood)
  })

  it('of one call follow each other in its group, and let other groups go first', async () => {
    const { call, begin, endTurns } = open()
    const calls = [call('a', '1'), call('a', '2', 3), call('a', '3'), call('a', '4')]
    expect(await begin(2)).toEqual(['a1', 'a2'])
    calls.push(call('a', '5'), call('b', '1', 2))
    expect((await begin(8)).slice(2)).toEqual(['b1', 'b1+', 'a2+', 'a2++', 'a3', 'a4'])
    await endTurns(2)
    await Promise.all(calls)
  })

  it('are charged for each step', async () => {
    const { call, begin, endTurns } = open()
    const calls = [call('a', '1', 3)]
    await begin(3)
    calls.push(call('a', '2'), ...['1', '2', '3', '4'].map((member) => call('b', member)))
    // After three turns of each group, the one whose call came first.
    expect((await begin(8)).slice(3)).toEqual(['b1', 'b2', 'b3', 'a2', 'b4'])
    await endTurns(1)
    await Promise.all(calls)
  })

  it('that are charged ahead come last, and give way to calls that bring less, also between two steps', async () => {
    const { call, begin, endTurns } = open()
    const calls = [call('a', '1', 1, 4), call('a', '2', 3, 4), call('a', '3')]
    expect(await begin(3)).toEqual(['a1', 'a3', 'a2'])
    calls.push(call('a', '4', 2))
    expect((await begin(7)).slice(3)).toEqual(['a4', 'a4+', 'a2+', 'a2++'])
    await endTurns(1)
    await Promise.all(calls)
  })

  it('end with the first result, with an error and with the time', async () => {
    const takeTurn = createFairTurns({ waiting: 9, timeout: 20, onRefused: () => new Error('no turn') })
    const caller = { group: 'a', member: '1' }
    const none = async () => undefined
    expect(await takeTurn(caller, [none, async () => 'second', async () => 'third'])).toBe('second')
    expect(await takeTurn(caller, [none, none])).toBe(undefined)
    await expect(takeTurn(caller, [none, () => Promise.reject(new Error('failed'))])).rejects.toThrow('failed')
    const slow = () => new Promise<undefined>((resolve) => setTimeout(resolve, 30, undefined))
    await expect(takeTurn(caller, [slow, async () => 'too late'])).rejects.toThrow('no turn')
    expect(await takeTurn(caller, [async () => 'next'])).toBe('next')
  })

  it('are refused to the largest group, and there to the member with the most, if too many wait', async () => {
    const { call, endTurns } = open({ waiting: 4 })
    const running = call('a', '1')
    const [kept, other, last] = [call('a', '1'), call('a', '2'), call('a', '1')]
    const alone = call('b', '1')
    const refused = last.catch((error: Error) => error.message)
    const added = call('b', '2')
    expect(await refused).toBe('no turn')
    await expect(call('a', '1')).rejects.toThrow('no turn')
    await endTurns(5)
    await Promise.all([running, kept, other, alone, added])
  })

  it('are refused after a while, and the next call goes on', async () => {
    const { call, endTurns } = open({ timeout: 20 })
    const running = call('a', '1')
    await expect(call('a', '1')).rejects.toThrow('no turn')
    await endTurns(1)
    await running
    const next = call('a', '1')
    await endTurns(1)
    await next
  })
})
