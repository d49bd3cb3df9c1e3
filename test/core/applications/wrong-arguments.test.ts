import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memoryStore } from '../../../src/index.js'
import { failingStore, type FailingStore } from '../../support/failing-store.js'
import { openPlatform, type TestPlatform } from '../../support/platform.js'
import { CALLS, listWrongCalls, type Argument } from './wrong-arguments.js'

/** The codes of docs/applications.md#errors that tell of an argument, and those of guards. */
const CODES: readonly unknown[] = [
  'application_not_found',
  'invalid_argument',
  'unknown_api',
  'credential_not_found',
  'signing_key_not_found',
  'unauthorized',
  'invalid_request',
  'invalid_token',
  'invalid_api_key',
  'invalid_configuration',
]

describe('a call with an argument of the wrong kind', () => {
  let platform: TestPlatform
  let store: FailingStore
  const events: string[] = []
  const known: Record<string, string> = {}

  beforeAll(async () => {
    store = failingStore(memoryStore())
    platform = openPlatform({
      store,
      developersUrl: 'https://api.example.com/developers',
      mailer: { send: async () => undefined },
      imports: true,
    })
    for (const type of ['store.unavailable', 'store.writesRejected'] as const)
      platform.auth.events.on(type, () => events.push(type))
    await platform.auth.ready()
    const apis = ['orders', 'catalog'] as const
    const { application } = await platform.auth.applications.create({ name: 'Shop', contact: 'a@example.com', apis })
    known['application'] = application.id
    known['credential'] = application.keys[0]!.id
    known['signingKey'] = (await platform.auth.signingKeys.list()).items[0]!.kid
  })
  afterAll(() => platform.auth.close())

  const countCalls = (): number =>
    (
      [
        'findApplication',
        'listApplications',
        'saveApplication',
        'emails.list',
        'listAudit',
        'usage.list',
        'usage.listRefusals',
        'usage.listReported',
        'signIns.addSignOut',
        'addSigningKey',
        'removeSigningKey',
        'replaceSecret',
      ] as const
    )
      .map((name) => store.calls(name))
      .reduce((sum, count) => sum + count, 0)

  async function answer(name: string, args: readonly unknown[]): Promise<unknown> {
    const [group, call = group] = name.split('.') as [string, string?]
    const owner = (group === call ? platform.auth : platform.auth[group as 'audit']) as unknown as Record<
      string,
      (...args: readonly unknown[]) => Promise<unknown>
    >
    return owner[call]!(...args).then(
      (value) => ({ value }),
      (error: unknown) => ({ code: (error as { code?: unknown }).code, error }),
    )
  }

  it.each(Object.keys(CALLS))('%s: gets the documented error, before the store is asked', async (name) => {
    const fill = (argument: Argument): unknown =>
      typeof argument === 'object' && argument !== null && 'known' in argument
        ? known[String(argument.known)]
        : argument
    const found: unknown[] = []
    for (const { args, described, resolves } of listWrongCalls(CALLS[name]!)) {
      const before = countCalls()
      const result = (await answer(name, args.map(fill))) as { value?: unknown; code?: unknown; error?: unknown }
      const isRight = resolves ? 'value' in result && result.value === undefined : CODES.includes(result.code)
      if (!isRight) found.push([described, result])
      if (countCalls() !== before) found.push([described, 'the store was called'])
    }
    expect(found).toEqual([])
    expect(events).toEqual([])
    expect(platform.logger.lines).toEqual([])
    expect(await platform.auth.health()).toEqual({ ok: true, problems: [] })
    expect((await platform.auth.applications.get(known['application']!))?.status).toBe('active')
  })
})
