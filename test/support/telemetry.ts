import { AsyncLocalStorage } from 'node:async_hooks'
import { context, metrics, ROOT_CONTEXT, SpanKind, trace, type Attributes, type Context } from '@opentelemetry/api'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import type { RequestHandler } from 'express'

/** One series as it stands: a counter's or gauge's value, or a histogram's `{ count, sum }`. */
export interface Series {
  readonly name: string
  readonly attributes: Attributes
  readonly value: unknown
}

/** OpenTelemetry's SDK for metrics, in memory. */
export function createMeters(temporality = AggregationTemporality.CUMULATIVE): {
  provider: MeterProvider
  series: () => Promise<Series[]>
} {
  const exporter = new InMemoryMetricExporter(temporality)
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 })
  const provider = new MeterProvider({ readers: [reader] })
  return {
    provider,
    async series() {
      exporter.reset()
      await provider.forceFlush()
      return exporter
        .getMetrics()
        .flatMap(({ scopeMetrics }) => scopeMetrics)
        .flatMap(({ metrics: all }) => all)
        .flatMap(({ descriptor: { name }, dataPoints }) =>
          dataPoints.map(({ attributes, value }) => ({ name, attributes, value })),
        )
    },
  }
}

/** OpenTelemetry's SDK for traces, in memory. */
export function createTracers(): { provider: BasicTracerProvider; exporter: InMemorySpanExporter } {
  const exporter = new InMemorySpanExporter()
  return { provider: new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }), exporter }
}

/** Context that follows promises and callbacks, as OpenTelemetry's SDK for Node has it. */
export function installContextManager(): void {
  const storage = new AsyncLocalStorage<Context>()
  context.setGlobalContextManager({
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (active, call, that, ...args) => storage.run(active, () => call.apply(that!, args)),
    bind: (active, target) =>
      typeof target === 'function'
        ? (((...args: unknown[]) => storage.run(active, () => target(...args))) as typeof target)
        : target,
    enable() {
      return this
    },
    disable() {
      storage.disable()
      return this
    },
  })
}

/** Sets nothing global any more. */
export function resetTelemetry(): void {
  metrics.disable()
  trace.disable()
  context.disable()
}

/** What HTTP instrumentation does: a span around each request, active in it. */
export const traced: RequestHandler = (req, res, next) => {
  const span = trace.getTracer('host').startSpan(`${req.method} ${req.path}`, { kind: SpanKind.SERVER })
  res.on('close', () => span.end())
  context.with(trace.setSpan(context.active(), span), next)
}
