import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { ROOT } from './pages.js'

const read = (file: string): unknown => parse(readFileSync(join(ROOT, '.github', file), 'utf8'))

it('the workflow runs .ci/run on the oldest supported Node and on every later even version', () => {
  const { jobs } = read('workflows/ci.yml') as {
    jobs: { test: { strategy: { matrix: { node: (string | number)[] } }; steps: { run?: string }[] } }
  }
  const { engines } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { engines: { node: string } }
  const oldest = /^\^([\d.]+)/.exec(engines.node)?.[1]
  expect(jobs.test.strategy.matrix.node.map(String)).toEqual([oldest, '22', '24', '26'])
  expect(jobs.test.steps.some(({ run }) => run?.includes('.ci/run'))).toBe(true)
})

it('each issue form has fields with ids that differ', () => {
  for (const file of readdirSync(join(ROOT, '.github/ISSUE_TEMPLATE'))) {
    const { name, description, body } = read(`ISSUE_TEMPLATE/${file}`) as Record<string, string> & {
      body: readonly { id: string; attributes: { label: string } }[]
    }
    expect(
      [name, description].every((text) => typeof text === 'string' && text !== ''),
      file,
    ).toBe(true)
    expect(new Set(body.map(({ id }) => id)).size, file).toBe(body.length)
    for (const { attributes } of body) expect(attributes.label, file).toBeTruthy()
  }
})
