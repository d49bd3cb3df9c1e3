import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freshDatabase } from '../support/postgres.js'
import type { PlatformPlan } from './fleet.js'

/** The stores with each way to learn of other processes' changes. */
export const WAYS = ['PostgreSQL', 'PostgreSQL without LISTEN', 'SQLite'] as const
export type Way = (typeof WAYS)[number]

/** An empty store for each way. */
export interface FleetStores {
  readonly stores: Readonly<Record<Way, PlatformPlan['store']>>
  /** For a process with a platform on each store, with the same options. */
  plan(options?: Omit<PlatformPlan, 'store'>): Record<Way, PlatformPlan>
  /** For a process with a platform on that store only. */
  planOf(way: Way): Record<Way, PlatformPlan>
  remove(): Promise<void>
}

export async function freshStores(): Promise<FleetStores> {
  const [listening, polling] = await Promise.all([freshDatabase(), freshDatabase()])
  const folder = await mkdtemp(join(tmpdir(), 'fleet-'))
  const stores: FleetStores['stores'] = {
    PostgreSQL: { kind: 'postgres', url: listening.url, listen: true },
    'PostgreSQL without LISTEN': { kind: 'postgres', url: polling.url, listen: false },
    SQLite: { kind: 'sqlite', file: join(folder, 'platform.sqlite') },
  }
  return {
    stores,
    plan: (options = {}) =>
      Object.fromEntries(WAYS.map((way) => [way, { ...options, store: stores[way] }])) as Record<Way, PlatformPlan>,
    planOf: (way) => ({ [way]: { store: stores[way] } }) as Record<Way, PlatformPlan>,
    async remove() {
      await Promise.all([listening.remove(), polling.remove(), rm(folder, { recursive: true })])
    },
  }
}

/** Runs the test on all stores at once: most of its time is waiting. */
export async function onEveryWay(test: (way: Way) => Promise<void>): Promise<void> {
  await Promise.all(WAYS.map(test))
}
