import { afterAll, describe, expect, it } from 'vitest'
import { memoryStore } from '../../../src/index.js'
import { openAdmin } from '../../../src/tools/admin/index.js'
import { withCheckedArguments } from '../../../src/core/applications/call-arguments.js'
import { AUDIT_PARAMETERS } from '../../../src/core/applications/call-parameters.js'
import { memoryMailer } from '../../../src/tools/testing/index.js'
import { openPlatform } from '../../support/platform.js'
import { CALLS } from './wrong-arguments.js'

const { auth } = openPlatform({
  mailer: memoryMailer(),
  developersUrl: 'https://api.example.com/developers',
  imports: true,
})
afterAll(() => auth.close())

describe('the arguments of a call', () => {
  it('begin with a store', async () => {
    for (const store of [undefined, {}, 'platform.sqlite', () => memoryStore()])
      await expect(openAdmin(store as ReturnType<typeof memoryStore>)).rejects.toThrow(
        /^store is no store\. Give it sqlite/,
      )
  })

  it('are checked for every call of auth and of openAdmin()', async () => {
    const admin = await openAdmin(memoryStore())
    const groups = [
      'applications',
      'audit',
      'emails',
      'imports',
      'portal',
      'registration',
      'sessionSecret',
      'signingKeys',
      'usage',
    ] as const
    const names = groups.flatMap((group) =>
      [auth[group], (admin as unknown as typeof auth)[group] ?? {}].flatMap((calls) =>
        Object.entries(calls as object).flatMap(([name, call]) =>
          typeof call === 'function' ? [`${group}.${name}`] : [],
        ),
      ),
    )
    const withoutArguments = ['emails.status', 'signingKeys.list', ...groups.map((group) => `${group}.router`)]
    for (const group of groups) expect(auth[group], group).toBeTypeOf('object')
    expect(names.filter((name) => !(name in CALLS) && !withoutArguments.includes(name))).toEqual([])
    await expect(admin.applications.suspend(42 as never)).rejects.toMatchObject({ code: 'application_not_found' })
    await expect(admin.audit.list({ by: {} as never })).rejects.toMatchObject({ code: 'invalid_argument' })
    await admin.close()
  })

  it('have no prototype, so that a polluted one provides no option', async () => {
    const received: unknown[] = []
    const { list } = withCheckedArguments(AUDIT_PARAMETERS, {
      list: async (query?: object) => void received.push(query),
    })
    for (const args of [[], [undefined], [{ limit: 5 }]]) await list(...args)
    expect(received.map((query) => Object.getPrototypeOf(query))).toEqual([null, null, null])
    expect({ ...(received[2] as object) }).toEqual({ limit: 5 })
  })

  it('are named in the error, without their values', async () => {
    const secret = { clientSecret: 'epa_sec_hidden' }
    const error = await auth.applications.suspend(secret as never).catch((reason: Error) => reason.message)
    expect(error).toMatch(/suspend\(\) needs the id of an application: it was given a value of type object/)
    expect(error).not.toContain('hidden')
    const late = auth.applications.suspend('app_1', Promise.resolve({}) as never)
    await expect(late).rejects.toThrow('a promise: await it')
  })
})
