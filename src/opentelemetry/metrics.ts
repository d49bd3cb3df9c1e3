import type { Attributes, Counter, Histogram, MeterProvider, ObservableCallback } from '@opentelemetry/api'
import { ATTRIBUTES, SCOPE } from './names.js'
import { COUNTERS, OUTAGES, type CounterName, type OutageName } from './recordings.js'

/** The instruments of the current meter provider. */
export interface Metrics {
  /** Creates the instruments if the current provider has none yet. */
  prepare(): void
  count(counter: CounterName, attributes: Attributes): void
  /** Records the duration of an outage that has ended. */
  recordOutage(outage: OutageName, seconds: number): void
  stop(): void
}

interface MetricsOptions {
  /** Returns the current meter provider. An instrument of the API's no-op provider would remain a no-op forever. */
  readonly provider: () => MeterProvider
  readonly apis: readonly { readonly name: string; readonly scheme: string }[]
  readonly isUnavailable: (outage: OutageName) => boolean
}

interface Instruments {
  readonly provider: MeterProvider
  readonly counters: ReadonlyMap<CounterName, Counter>
  readonly durations: ReadonlyMap<OutageName, Histogram>
  readonly stop: () => void
}

/** Seconds: from a reconnect to an outage of an hour. */
const OUTAGE_DURATION_BOUNDARIES = [0.1, 0.5, 1, 5, 10, 30, 60, 300, 900, 3600]

export function createMetrics({ provider, apis, isUnavailable }: MetricsOptions): Metrics {
  let instruments: Instruments | undefined

  function current(): Instruments {
    const meterProvider = provider()
    if (instruments?.provider === meterProvider) return instruments
    instruments?.stop()
    instruments = createInstruments(meterProvider)
    return instruments
  }

  function createInstruments(meterProvider: MeterProvider): Instruments {
    const meter = meterProvider.getMeter(SCOPE)
    const counters = new Map(listKeys(COUNTERS).map((name) => [name, meter.createCounter(name, COUNTERS[name])]))
    const durations = new Map<OutageName, Histogram>()
    const stops: (() => void)[] = []
    for (const outage of listKeys(OUTAGES)) {
      const gauge = meter.createObservableGauge(`platform_auth.${outage}.available`, {
        unit: '1',
        description: `1 while ${OUTAGES[outage]} answers, 0 while it is unavailable`,
      })
      const read: ObservableCallback = (result) => result.observe(isUnavailable(outage) ? 0 : 1)
      gauge.addCallback(read)
      stops.push(() => gauge.removeCallback(read))
      const duration = meter.createHistogram(`platform_auth.${outage}.outage.duration`, {
        unit: 's',
        description: `How long ${OUTAGES[outage]} was unavailable`,
        advice: { explicitBucketBoundaries: OUTAGE_DURATION_BOUNDARIES },
      })
      durations.set(outage, duration)
    }
    // Starts each series at zero: a rate cannot be computed for a series that begins with its first request.
    for (const { name, scheme } of apis) {
      counters.get('platform_auth.requests')?.add(0, { [ATTRIBUTES.api]: name })
      if (scheme === 'oauth2') counters.get('platform_auth.token.requests')?.add(0, { [ATTRIBUTES.api]: name })
    }
    return { provider: meterProvider, counters, durations, stop: () => stops.forEach((stop) => stop()) }
  }

  return {
    prepare: () => void current(),
    count: (counter, attributes) => current().counters.get(counter)?.add(1, attributes),
    recordOutage: (outage, seconds) => current().durations.get(outage)?.record(seconds),
    stop() {
      instruments?.stop()
      instruments = undefined
    },
  }
}

function listKeys<Key extends string>(table: Readonly<Record<Key, unknown>>): Key[] {
  return Object.keys(table) as Key[]
}
