import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freshDatabase } from '../support/postgres.js'
import type { PlatformPlan } from './fleet.js'

/** The ways in which processes hear of each other. */
export const WAYS = ['PostgreSQL', 'PostgreSQL without LISTEN', 'SQLite'] as const
export type Way = (typeof WAYS)[number]

/** A store for each way, all of them empty. */
export interface FleetStores {
  readonly stores: Readonly<Record<Way, PlatformPlan['store']>>
  /** For a process that has a platform on each, with the same options. */
  plan(options?: Omit<PlatformPlan, 'store'>): Record<Way, PlatformPlan>
  /** For a process that has a platform on that one alone. */
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

/** The same on every way, side by side: most of it is waiting. */
export async function onEveryWay(deed: (way: Way) => Promise<void>): Promise<void> {
  await Promise.all(WAYS.map(deed))
}
