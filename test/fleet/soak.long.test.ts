import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { createTemporaryFolder } from '../support/temporary-folder.js'
import { printFigures } from './figures.js'
import { startMixedLoad } from './soak-load.js'

// Prints the figures of docs/performance.md. SOAK_MINUTES: how long; SOAK_PAUSE: milliseconds between two requests.

const MINUTES = Number(process.env['SOAK_MINUTES'] ?? 15)
const PAUSE_MS = Number(process.env['SOAK_PAUSE'] ?? 5)
const SAMPLES = 30
const MAX_GROWTH = 1.1

interface Sample {
  /** Megabytes. */
  readonly rss: number
  readonly heap: number
  readonly events: Readonly<Record<string, number>>
}

it(
  'a process under mixed load takes no more memory in the last third of the time than in the middle one',
  { timeout: MINUTES * 60_000 + 120_000 },
  async () => {
    const folder = await createTemporaryFolder()
    const program = fileURLToPath(new URL('soak-process.mjs', import.meta.url))
    const child = fork(program, [join(folder, 'platform.sqlite')], { execArgv: ['--expose-gc'] })
    const [{ baseUrl }] = (await once(child, 'message')) as [{ baseUrl: string }]
    const load = await startMixedLoad(baseUrl, PAUSE_MS)
    const samples: Sample[] = []
    for (let i = 0; i < SAMPLES; i++) {
      await Promise.race([sleep((MINUTES * 60_000) / SAMPLES), load.running])
      child.send('sample')
      const [sample] = (await once(child, 'message')) as [Sample]
      samples.push(sample)
      printFigures(`soak, sample ${i + 1}`, { heap: sample.heap.toFixed(2), RSS: sample.rss.toFixed(1) })
    }
    const tally = await load.stop()
    child.disconnect()
    await once(child, 'exit')
    printFigures('soak, requests', tally)
    printFigures('soak, events', samples.at(-1)!.events)
    const third = SAMPLES / 3
    for (const kind of ['heap', 'rss'] as const) {
      const megabytes = samples.map((sample) => sample[kind])
      const [first, middle, last] = [0, 1, 2].map((i) => median(megabytes.slice(i * third, (i + 1) * third)))
      const text = (value?: number): string => `${value?.toFixed(1)} MB`
      printFigures(`soak, ${kind}`, { 'first third': text(first), middle: text(middle), last: text(last) })
      expect.soft(last! / middle!, kind).toBeLessThan(MAX_GROWTH)
    }
    const answered = new Set(Object.keys(tally))
    for (const what of [
      'token 200',
      'bearer 200',
      'key 200',
      'unknown key 401',
      'unknown client 401',
      'register 202',
      'rotateKey 200',
      'suspend 200',
      'portal 200',
      'list 200',
      'delete 200',
    ])
      expect(answered).toContain(what)
  },
)

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
}
