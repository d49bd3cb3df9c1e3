import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createClientLimits } from '../../../src/core/store-client/client-limits.js'
import { memoryStore } from '../../../src/index.js'
import { deriveRequest, readClientAddress } from '../../../src/shared/lib/request.js'
import { usePlatform } from '../../support/platform.js'
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

it('refusals are sent at once, but few in each turn of the event loop while a call of an operator is under way', async () => {
  const limits = createClientLimits({ concurrentCalls: 10 })
  const operator = holdOperator(limits)
  const sent: number[] = []
  for (let i = 0; i < 20; i++) {
    const req = Object.assign(new IncomingMessage(new Socket()), { ip: `192.0.2.${i}` })
    void limits.waitToRefuse(req)!.then(() => sent.push(i))
  }
  expect(sent).toHaveLength(0)
  for (let turn = 1; turn <= 12; turn++) {
    const before = sent.length
    await nextTurn()
    expect(sent.length - before).toBeLessThanOrEqual(2)
  }
  await waitUntil(() => sent.length === 20)
  operator.end()
  await operator.ended
  expect(limits.waitToRefuse(new IncomingMessage(new Socket()))).toBeUndefined()
})

it('a guard refuses at once, but in turns while a call of an operator is under way', async () => {
  let end!: () => void
  const held = new Promise<void>((resolve) => (end = resolve))
  const store = memoryStore()
  const saveApplication: typeof store.saveApplication = (...args) => held.then(() => store.saveApplication(...args))
  const { auth } = usePlatform({ store: { ...store, saveApplication } })
  await auth.ready()
  const guard = auth.requireApiKey('catalog')
  let answered = 0
  function refuse(): void {
    const req = Object.assign(new IncomingMessage(new Socket()), { url: '/', headers: { 'x-api-key': 'malformed' } })
    const res = new ServerResponse(req)
    res.end = () => {
      answered += 1
      return res
    }
    guard(req, res, () => undefined)
  }
  for (let i = 0; i < 20; i++) refuse()
  expect(answered).toBe(20)
  const created = auth.applications.create({ name: 'Shop', apis: ['catalog'] })
  for (let i = 0; i < 20; i++) refuse()
  expect(answered).toBe(20)
  await waitUntil(() => answered === 40)
  end()
  await created
  refuse()
  expect(answered).toBe(41)
})

it('resource servers take turns, and the addresses that each forwards, whatever number of addresses a flood has', async () => {
  const limits = createClientLimits({ concurrentCalls: 2 })
  const begun: string[] = []
  let end = (): void => undefined
  const presented = (by: string, ip: string): Promise<void> => {
    const req = deriveRequest(new IncomingMessage(new Socket()), { headers: {}, rawHeaders: [] }, { ip, by, id: '' })
    const lookUp = () => new Promise<void>((resolve) => void (begun.push(`${by} ${ip}`), (end = resolve)))
    // Those beyond the limit of waiting ones, or that wait too long, reject.
    return limits.limitLookupsOfStrangers(readClientAddress(req), lookUp).catch(() => undefined)
  }
  for (let i = 0; i < 4000; i++) void presented('app_flood', `203.0.${i >> 8}.${i & 255}`)
  for (let i = 0; i < 100; i++) void presented('app_quiet', '192.0.2.1')
  void presented('app_quiet', '192.0.2.2')
  void presented('app_one', '192.0.2.1')
  for (let turn = 1; turn <= 8; turn++) {
    await waitUntil(() => begun.length === turn)
    end()
  }
  expect(begun.filter((each) => each.startsWith('app_flood')).length).toBeLessThanOrEqual(4)
  expect(begun).toContain('app_one 192.0.2.1')
  expect(begun.indexOf('app_quiet 192.0.2.2') - begun.indexOf('app_quiet 192.0.2.1')).toBeLessThanOrEqual(3)
})
