import { describe, expect, it, vi } from 'vitest'
import { createFairTurns } from '../../src/lib/fair-turns.js'

/** Work that ends on command, and the order in which it began. */
function open(options: { waiting?: number; timeout?: number } = {}) {
  const takeTurn = createFairTurns({
    waiting: 100,
    timeout: 60_000,
    ...options,
    onRefused: () => new Error('no turn'),
  })
  const begun: string[] = []
  let end: () => void = () => undefined
  const call = (group: string, member: string): Promise<void> =>
    takeTurn(group, member, () => {
      begun.push(`${group}${member}`)
      return new Promise((resolve) => (end = resolve))
    })
  async function endTurns(count: number): Promise<string[]> {
    for (let i = 1; i <= count; i++) {
      const before = begun.length
      end()
      if (i < count) await vi.waitFor(() => expect(begun.length).toBe(before + 1))
    }
    return begun
  }
  return { call, begun, endTurns }
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
