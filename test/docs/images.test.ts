import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { drawGuardCost } from '../../docs/images/guard-cost.mjs'

const root = new URL('../../', import.meta.url)

it('the chart of what a guard costs shows the figures of README (run `npm run images`)', async () => {
  const readme = await readFile(new URL('README.md', root), 'utf8')
  expect(drawGuardCost(readme)).toBe(await readFile(new URL('docs/images/guard-cost.svg', root), 'utf8'))
})
