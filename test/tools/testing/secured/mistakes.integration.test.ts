import { describe, expect, it } from 'vitest'
import { expectSecured, RoutesNotSecuredError } from '../../../../src/tools/testing/index.js'
import { IS_LONG_LANE } from '../../../support/long-lane.js'
import { listFew, SECURED_EXPRESSES } from './expresses.js'
import { MISTAKES_OF_FUNCTIONS } from './mistakes-of-functions.js'
import { MISTAKES } from './mistakes.js'
import { openShops } from './shop.js'

const ALL = [MISTAKES, MISTAKES_OF_FUNCTIONS].flatMap((groups) =>
  Object.entries(groups).flatMap(([problem, builds]) =>
    Object.entries(builds).map(([mistake, build]) => ({ mistake, problem, build })),
  ),
)

describe.each(SECURED_EXPRESSES)('%s: expectSecured() finds', (name, express) => {
  const buildApp = openShops()

  it.each(IS_LONG_LANE ? ALL : listFew(name, ALL))('$mistake', async ({ problem, build }) => {
    const { app, auth, options } = buildApp(express, build)
    const error = await expectSecured(app, { auth, ...options }).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(RoutesNotSecuredError)
    const { problems, message } = error as RoutesNotSecuredError
    const found = problems.map(({ kind, route }) => `${kind} ${route}`)
    expect(found, message).toContain(problem)
    expect(message).toContain(problem.replace(/^\S+ /, ''))
    for (const { fix } of problems) expect(fix).toMatch(/\.$/)
  })
})

describe.each(SECURED_EXPRESSES.slice(0, 1))('expectSecured() cannot see', (_name, express) => {
  const buildApp = openShops()

  // docs/testing.md says so: no request without a good credential shows it.
  it('an operation that nothing answers, with a not-found handler', async () => {
    const { app, auth, options } = buildApp(express, ({ app, mayRead }) => {
      app.use('/orders', mayRead).use((_req, res) => void res.status(404).json({ error: 'not_found' }))
      const operation = { security: [{ oauth2: ['orders:read'] }] }
      return { documents: { orders: { paths: { '/items': { get: operation } } } } }
    })
    await expect(expectSecured(app, { auth, ...options })).resolves.toBeDefined()
  })
})
