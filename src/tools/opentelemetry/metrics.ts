import type { Attributes, Histogram, Meter, MeterProvider, ObservableGauge } from '@opentelemetry/api'
import type { EmailQueueStatus } from '../../features/emails/index.js'
import { ATTRIBUTES, SCOPE } from './spans.js'
import { COUNTERS, OUTAGES, type CounterName, type OutageName } from './recordings.js'

const OUTAGE_DURATION_BOUNDARIES = [0.1, 0.5, 1, 5, 10, 30, 60, 300, 900, 3600]

export function createMetrics(options: {
  /** Returns the current meter provider. An instrument of the API's no-op provider would remain a no-op forever. */
  readonly provider: () => MeterProvider
  readonly apis: readonly { readonly name: string; readonly scheme: string }[]
  readonly isUnavailable: (outage: OutageName) => boolean
  readonly readQueue?: (() => Promise<EmailQueueStatus>) | undefined
}) {
  const { provider, apis, isUnavailable, readQueue } = options
  let instruments: ReturnType<typeof createInstruments> | undefined

  function current() {
    const meterProvider = provider()
    if (instruments?.provider === meterProvider) return instruments
    instruments?.stop()
    instruments = createInstruments(meterProvider)
    return instruments
  }

  function createInstruments(meterProvider: MeterProvider) {
    const meter = meterProvider.getMeter(SCOPE)
    const counters = new Map(listKeys(COUNTERS).map((name) => [name, meter.createCounter(name, COUNTERS[name])]))
    const durations = new Map<OutageName, Histogram>()
    const stops: (() => void)[] = []
    for (const outage of listKeys(OUTAGES)) {
      const gauge = meter.createObservableGauge(`platform_auth.${outage}.available`, {
        unit: '1',
        description: OUTAGES[outage].available,
      })
      const read: Parameters<typeof gauge.addCallback>[0] = (result) => result.observe(isUnavailable(outage) ? 0 : 1)
      gauge.addCallback(read)
      stops.push(() => gauge.removeCallback(read))
      const duration = meter.createHistogram(`platform_auth.${outage}.outage.duration`, {
        unit: 's',
        description: OUTAGES[outage].duration,
        advice: { explicitBucketBoundaries: OUTAGE_DURATION_BOUNDARIES },
      })
      durations.set(outage, duration)
    }
    if (readQueue) stops.push(observeQueue(meter, readQueue))
    // Starts each series at zero: a rate cannot be computed for a series that begins with its first request.
    for (const { name, scheme } of apis) {
      counters.get('platform_auth.requests')?.add(0, { [ATTRIBUTES.api]: name })
      if (scheme === 'oauth2') counters.get('platform_auth.token.requests')?.add(0, { [ATTRIBUTES.api]: name })
    }
    return { provider: meterProvider, counters, durations, stop: () => stops.forEach((stop) => stop()) }
  }

  return {
    prepare: (): void => void current(),
    count: (counter: CounterName, attributes: Attributes): void => current().counters.get(counter)?.add(1, attributes),
    recordOutage: (outage: OutageName, seconds: number): void => current().durations.get(outage)?.record(seconds),
    stop(): void {
      instruments?.stop()
      instruments = undefined
    },
  }
}

function observeQueue(meter: Meter, readQueue: () => Promise<EmailQueueStatus>): () => void {
  const gauge = (name: string, unit: string, description: string): ObservableGauge =>
    meter.createObservableGauge(`platform_auth.email.${name}`, { unit, description })
  const waiting = gauge('waiting', '{email}', 'E-mails that are to be sent, of all processes; 1000 at most')
  const deferred = gauge('deferred', '{email}', 'E-mails that are to be sent, and whose last attempt failed')
  const age = gauge('oldest.age', 's', 'Age of the oldest e-mail that is to be sent; 0 if there is none')
  const gauges = [waiting, deferred, age]
  const read: Parameters<typeof meter.addBatchObservableCallback>[0] = async (result) => {
    // While the store does not answer, the series have no value.
    const status = await readQueue().catch(() => undefined)
    if (!status) return
    result.observe(waiting, status.waiting)
    result.observe(deferred, status.deferred)
    result.observe(age, status.oldestAt ? Math.max(0, (Date.now() - status.oldestAt.getTime()) / 1000) : 0)
  }
  meter.addBatchObservableCallback(read, gauges)
  return () => meter.removeBatchObservableCallback(read, gauges)
}

function listKeys<Key extends string>(table: Readonly<Record<Key, unknown>>): Key[] {
  return Object.keys(table) as Key[]
}
