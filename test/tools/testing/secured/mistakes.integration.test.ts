import { describe, expect, it } from 'vitest'
import { expectSecured, RoutesNotSecuredError } from '../../../../src/tools/testing/index.js'
import { FOUND_WITH, MISTAKES, UNSEEN } from './mistakes.js'
import { listFew, SECURED_EXPRESSES } from './expresses.js'
import { openShops } from './shop.js'
import { IS_LONG_LANE } from '../../../support/long-lane.js'

describe.each(SECURED_EXPRESSES)('%s: expectSecured() finds', (name, express) => {
  const buildApp = openShops()
  const seen = MISTAKES.filter(([mistake]) => !UNSEEN.includes(mistake))

  it.each(IS_LONG_LANE ? seen : listFew(name, seen))('%s', async (mistake, kind, route, build) => {
    const { app, auth, options } = buildApp(express, build)
    const error = await expectSecured(app, { auth, ...options, ...FOUND_WITH[mistake] }).then(
      () => undefined,
      (problem: unknown) => problem,
    )
    expect(error).toBeInstanceOf(RoutesNotSecuredError)
    const { problems, message } = error as RoutesNotSecuredError
    expect(
      problems.map((problem) => `${problem.kind} ${problem.route}`),
      message,
    ).toContain(`${kind} ${route}`)
    expect(message).toContain(route)
    for (const { fix } of problems) expect(fix).toMatch(/\.$/)
  })
})

describe.each(SECURED_EXPRESSES.slice(0, 1))('expectSecured() cannot see', (_name, express) => {
  const buildApp = openShops()

  it.each(MISTAKES.filter(([name]) => UNSEEN.includes(name) || Object.hasOwn(FOUND_WITH, name)))(
    '%s, without its hint',
    async (_mistake, _kind, _route, build) => {
      const { app, auth, options } = buildApp(express, build)
      await expect(expectSecured(app, { auth, ...options })).resolves.toBeDefined()
    },
  )
})
