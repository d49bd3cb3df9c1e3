import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, it } from 'vitest'
import { installBeside, pack } from '../../../package/packed.js'

/** Exact versions, which run on every Node that the package supports. */
const FRAMEWORKS = {
  express: '5.1.0',
  graphql: '16.11.0',
  'graphql-yoga': '5.15.1',
  '@trpc/server': '11.4.3',
  '@apollo/server': '5.0.0',
  '@as-integrations/express5': '1.1.2',
  '@nestjs/common': '11.1.3',
  '@nestjs/core': '11.1.3',
  '@nestjs/platform-express': '11.1.3',
  'reflect-metadata': '0.2.2',
  rxjs: '7.8.2',
  'express-zod-api': '27.3.0',
  zod: '4.3.6',
  'http-errors': '2.0.1',
  'json-server': '0.17.4',
  tsoa: '6.6.0',
  typescript: '5.9.3',
  '@types/express': '5.0.5',
  '@types/node': '20.19.0',
}
const TELEMETRY = {
  '@opentelemetry/api': '1.9.1',
  '@opentelemetry/sdk-trace-node': '2.9.0',
  '@opentelemetry/instrumentation': '0.223.0',
  '@opentelemetry/instrumentation-express': '0.71.1',
  '@opentelemetry/instrumentation-http': '0.223.0',
  '@sentry/node': '11.12.0',
}

interface Verdict {
  /** The kinds of problems that `expectSecured()` found. */
  readonly kinds: readonly string[]
  /** What requests got before and after it. */
  readonly before: unknown
  readonly after: unknown
}

const packed = await pack()
afterAll(() => packed?.remove())

/** What a program prints in its last line: libraries write to the others. */
async function run(home: string, ...args: readonly string[]): Promise<unknown> {
  const options = { cwd: join(home, 'frameworks'), maxBuffer: 50_000_000 }
  const { stdout } = await promisify(execFile)(process.execPath, args, options)
  const last = stdout.trim().split('\n').at(-1)
  return last === '' ? undefined : JSON.parse(last!)
}

it('apps of eight frameworks pass behind guards, and are found open', { timeout: 900_000 }, async () => {
  const home = await installBeside(packed.tarball, FRAMEWORKS, ['frameworks'])
  await run(home, 'build-tsoa.cjs')
  const verdicts = (await run(home, 'frameworks.cjs')) as Readonly<Record<string, Record<'secured' | 'open', Verdict>>>
  expect(Object.keys(verdicts)).toHaveLength(8)
  for (const [name, { secured, open }] of Object.entries(verdicts)) {
    expect(secured, name).toEqual({ kinds: [], before: 200, after: 200 })
    expect(open.kinds[0], name).toMatch(/^(?:open|other-path)$/)
    expect([open.before, open.after], name).toEqual([200, 200])
  }
})

it.each(['5.1.0', '4.21.2'])(
  'under instrumentation, an app of Express %s answers after expectSecured() as before',
  { timeout: 900_000 },
  async (express) => {
    const home = await installBeside(packed.tarball, { express, ...TELEMETRY }, ['frameworks'])
    for (const telemetry of ['opentelemetry', 'sentry']) {
      const { verdicts, spans } = (await run(home, 'instrumented.cjs', telemetry)) as {
        verdicts: Readonly<Record<string, Verdict>>
        spans: number
      }
      expect(spans, telemetry).toBeGreaterThan(0)
      expect(Object.keys(verdicts)).toHaveLength(7)
      for (const [name, { kinds, before, after }] of Object.entries(verdicts)) {
        expect(kinds, name).toEqual(name === 'an open router' ? ['open'] : [])
        expect((before as string[])[0], name).toBe('200 {"id":"7"}')
        expect(after, name).toEqual(before)
      }
    }
  },
)
