import type { Attributes, Counter, Histogram, MeterProvider, ObservableCallback } from '@opentelemetry/api'
import { ATTRIBUTES, SCOPE } from './names.js'
import { COUNTERS, OUTAGES, type CounterName, type OutageName } from './recordings.js'

/** The instruments, made where the meter provider of the moment can be asked for them. */
export interface Metrics {
  /** Makes the instruments, if there is a provider that has none yet. */
  prepare(): void
  count(counter: CounterName, attributes: Attributes): void
  /** An outage is over. */
  lasted(outage: OutageName, seconds: number): void
  stop(): void
}

interface MetricsOptions {
  /** The meter provider as of now: an instrument of the API's no-op provider would stay no-op for ever. */
  readonly provider: () => MeterProvider
  readonly apis: readonly { readonly name: string; readonly scheme: string }[]
  readonly isOut: (outage: OutageName) => boolean
}

interface Instruments {
  readonly madeBy: MeterProvider
  readonly counters: ReadonlyMap<CounterName, Counter>
  readonly durations: ReadonlyMap<OutageName, Histogram>
  readonly stop: () => void
}

/** Seconds: from a connection that was lost and found to a bad night. */
const BOUNDARIES = [0.1, 0.5, 1, 5, 10, 30, 60, 300, 900, 3600]

export function createMetrics({ provider, apis, isOut }: MetricsOptions): Metrics {
  let made: Instruments | undefined

  function current(): Instruments {
    const now = provider()
    if (made?.madeBy === now) return made
    made?.stop()
    made = make(now)
    return made
  }

  function make(madeBy: MeterProvider): Instruments {
    const meter = madeBy.getMeter(SCOPE)
    const counters = new Map(keysOf(COUNTERS).map((name) => [name, meter.createCounter(name, COUNTERS[name])]))
    const durations = new Map<OutageName, Histogram>()
    const stops: (() => void)[] = []
    for (const outage of keysOf(OUTAGES)) {
      const gauge = meter.createObservableGauge(`platform_auth.${outage}.available`, {
        unit: '1',
        description: `1 while ${OUTAGES[outage]} answers, 0 while it is out of reach`,
      })
      const read: ObservableCallback = (result) => result.observe(isOut(outage) ? 0 : 1)
      gauge.addCallback(read)
      stops.push(() => gauge.removeCallback(read))
      const duration = meter.createHistogram(`platform_auth.${outage}.outage.duration`, {
        unit: 's',
        description: `How long ${OUTAGES[outage]} was out of reach`,
        advice: { explicitBucketBoundaries: BOUNDARIES },
      })
      durations.set(outage, duration)
    }
    // What begins with its first request has no rate before the second.
    for (const { name, scheme } of apis) {
      counters.get('platform_auth.requests')?.add(0, { [ATTRIBUTES.api]: name })
      if (scheme === 'oauth2') counters.get('platform_auth.token.requests')?.add(0, { [ATTRIBUTES.api]: name })
    }
    return { madeBy, counters, durations, stop: () => stops.forEach((stop) => stop()) }
  }

  return {
    prepare: () => void current(),
    count: (counter, attributes) => current().counters.get(counter)?.add(1, attributes),
    lasted: (outage, seconds) => current().durations.get(outage)?.record(seconds),
    stop() {
      made?.stop()
      made = undefined
    },
  }
}

function keysOf<Key extends string>(table: Readonly<Record<Key, unknown>>): Key[] {
  return Object.keys(table) as Key[]
}
