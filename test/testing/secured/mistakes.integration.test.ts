import { afterAll, describe, expect, it } from 'vitest'
import { expectSecured, RoutesNotSecuredError } from '../../../src/testing/index.js'
import { MISTAKES } from './mistakes.js'
import { listFew, SECURED_EXPRESSES } from './expresses.js'
import { buildApp, openShop } from './shop.js'
import { IS_LONG_LANE } from '../../support/long-lane.js'

describe.each(SECURED_EXPRESSES)('%s: expectSecured() finds', (name, express) => {
  const { auth } = openShop()
  afterAll(() => auth.close())

  it.each(IS_LONG_LANE ? MISTAKES : listFew(name, MISTAKES))('%s', async (_mistake, kind, route, build) => {
    const { app, options } = buildApp(express, auth, build)
    const error = await expectSecured(app, { auth, ...options }).then(
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

  it('at least 50 of them', () => {
    expect(MISTAKES.length).toBeGreaterThanOrEqual(50)
  })
})
