import express from 'express'
import { afterAll, expect, it } from 'vitest'
import { expectSecured, type RoutesNotSecuredError } from '../../../../src/tools/testing/index.js'
import type { AlsoTry } from '../../../../src/tools/testing/secured/variations.js'
import { IS_LONG_LANE } from '../../../support/long-lane.js'
import { BYPASSES, BYPASSES_BY_HEADER, type Bypass } from './bypasses.js'
import { openShop } from './shop.js'

const { auth } = openShop()
afterAll(() => auth.close())

/** The names of those that are found, of all of them in one app. */
async function findIn(bypasses: readonly Bypass[], alsoTry?: AlsoTry): Promise<string[]> {
  const app = express()
  for (const [at, { build }] of bypasses.entries()) {
    const inner = express()
    build({ app: inner, express, guard: auth.requireBearer('orders'), auth })
    app.use(`/orders/${at}`, inner)
  }
  const error = await expectSecured(app, { auth, alsoTry }).catch((problem: unknown) => problem)
  const { problems = [] } = error as Partial<RoutesNotSecuredError>
  const found = new Set(problems.map(({ route }) => Number(/^\S+ \/orders\/(\d+)/.exec(route)?.[1])))
  return bypasses.filter((_, at) => found.has(at)).map(({ name }) => name)
}

const namesOf = (bypasses: readonly Bypass[]): string[] => bypasses.map(({ name }) => name)

it('expectSecured() finds each way past a guard as the table says, and no other', async () => {
  const headers = BYPASSES_BY_HEADER.filter((_, at) => IS_LONG_LANE || at % 4 === 0)
  const all = [...headers, ...BYPASSES]
  expect(await findIn(all)).toEqual(namesOf(all.filter(({ found }) => found === 'unaided')))
})

it('expectSecured() finds with alsoTry what only the source of the app shows', async () => {
  const bypasses = BYPASSES.filter(({ found }) => typeof found === 'object')
  const hints = bypasses.map(({ found }) => found as AlsoTry)
  const alsoTry = {
    names: Object.assign({}, ...hints.map(({ names }) => names)) as NonNullable<AlsoTry['names']>,
    paths: hints.flatMap(({ paths = [] }, at) => paths.map((path) => `/orders/${at}${path}`)),
  }
  expect(await findIn(bypasses, alsoTry)).toEqual(namesOf(bypasses))
})
