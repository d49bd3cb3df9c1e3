import { expect, it } from 'vitest'
import { OPERATIONS, perform } from '../../../src/tools/operations/perform.js'

async function findProblem(name: string, input: object): Promise<string> {
  const operation = OPERATIONS.find((each) => each.name === name)!
  const error: unknown = await perform(operation, {}, input).then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toMatchObject({ code: 'invalid_argument' })
  return (error as Error).message
}

it('names a misspelt member of every operation, and what it may stand for, before members that are missing or wrong', async () => {
  for (const { name, input } of OPERATIONS) {
    const members = Object.keys(input.shape)
    for (const member of members) {
      const misspelt = `${member}x`
      const message = await findProblem(name, { [misspelt]: 1 })
      expect(message).toMatch(new RegExp(`^There is no member "${misspelt}"\\. Did you mean .*"${member}"`))
      const wrong = Object.fromEntries(members.map((each) => [each, Symbol('wrong')]))
      expect(await findProblem(name, { ...wrong, [misspelt]: 1 })).toBe(message)
    }
  }
})

it.each([
  ['applications.create', { nmae: 'Shop', apis: { orders: { scpoes: [] } } }, '"nmae". Did you mean "name"?'],
  ['applications.create', { apis: { orders: { scpoes: [] } } }, '"scpoes" of apis.orders. Did you mean "scopes"?'],
  ['applications.create', { keySet: { jwksUrl: 'x' } }, '"jwksUrl" of keySet. Did you mean "jwksUri"?'],
  [
    'applications.update',
    { rateLimits: { orders: { limit: 1, windw: 5 } } },
    '"windw" of rateLimits.orders. Did you mean "window"?',
  ],
  ['applications.allow', { rateLimit: { seconds: 5 } }, '"seconds" of rateLimit. There are: limit, window, until.'],
])('names a misspelt member within another one: %s %j', async (name, input, message) => {
  expect(await findProblem(name, input)).toContain(`There is no member ${message}`)
})
