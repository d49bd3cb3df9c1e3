import { expect, it, onTestFinished, vi } from 'vitest'
import { ConfigurationError, memoryStore } from '../../../src/index.js'
import type { StoreWith } from '../../../src/store.js'
import { openPlatform, type TestPlatform } from '../../support/platform.js'

/** What no retry can correct, and what `auth.health()` calls it. */
const PERMANENT: readonly [string, Error][] = [
  ['ReferenceError', new ReferenceError('pool is not defined')],
  ['TypeError', new TypeError('database.prepare is not a function')],
  [
    'ERR_MODULE_NOT_FOUND',
    withCode('ERR_MODULE_NOT_FOUND', "Cannot find package 'driver' imported from /srv/store.js"),
  ],
  ['ERR_DLOPEN_FAILED', withCode('ERR_DLOPEN_FAILED', 'The module was compiled against another version of Node')],
]

it.each(PERMANENT)('%s of open() ends the start at once, and is logged once', async (name, fault) => {
  const open = vi.fn<() => Promise<never>>(() => Promise.reject(fault))
  const { auth, logger } = openWith({ open })
  const events: string[] = []
  auth.events.on('store.unavailable', ({ type }) => void events.push(type))

  await expect(auth.ready()).rejects.toSatisfy(
    (error) => error instanceof ConfigurationError && error.message.includes(name) && error.cause === fault,
  )
  expect(open).toHaveBeenCalledTimes(1)
  expect(events).toEqual([])
  expect(logger.lines).toEqual([expect.stringMatching(/^The platform cannot start\. /)])
  expect(logger.lines[0]?.split(fault.message)).toHaveLength(2)

  // Without the error's own message, which may name paths.
  const { ok, problems } = await auth.health()
  expect(ok).toBe(false)
  expect(problems.join()).toContain(name)
  expect(problems.join()).not.toContain(fault.message)
})

it('a mistake in a later call of the start ends it too, and its message is logged once', async () => {
  const fault = new TypeError('rows is undefined')
  const establishSecret = vi.fn<() => Promise<never>>(() => Promise.reject(fault))
  const { auth, logger } = openWith({ establishSecret })
  await expect(auth.ready()).rejects.toMatchObject({ name: 'ConfigurationError', cause: fault })
  expect(establishSecret).toHaveBeenCalledTimes(1)
  expect(logger.lines.filter((line) => line.includes(fault.message))).toHaveLength(1)
  expect(logger.lines.filter((line) => line.startsWith('The platform cannot start. '))).toHaveLength(1)
})

it('an unavailable store is retried, also where fetch() wraps the network error in a TypeError', async () => {
  const cause = withCode('ECONNREFUSED', 'connect ECONNREFUSED')
  const open = vi.fn<() => Promise<undefined>>(() => Promise.resolve(undefined))
  open.mockRejectedValueOnce(new TypeError('fetch failed', { cause }))
  await openWith({ open }).auth.ready()
  expect(open).toHaveBeenCalledTimes(2)
})

function openWith(calls: Partial<StoreWith>): TestPlatform {
  const made = openPlatform({ store: { ...memoryStore(), ...calls } })
  onTestFinished(() => made.auth.close())
  return made
}

function withCode(code: string, message: string): Error {
  return Object.assign(new Error(message), { code })
}
