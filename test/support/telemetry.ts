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

/** A time series and its current value: a number, or `{ count, sum }` of a histogram. */
export interface Series {
  readonly name: string
  readonly attributes: Attributes
  readonly value: unknown
}

/** Creates an OpenTelemetry meter provider that exports to memory. */
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

/** Creates an OpenTelemetry tracer provider that exports to memory. */
export function createTracers(): { provider: BasicTracerProvider; exporter: InMemorySpanExporter } {
  const exporter = new InMemorySpanExporter()
  return { provider: new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }), exporter }
}

/** Installs a context manager that follows promises and callbacks, as OpenTelemetry's SDK for Node does. */
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

/** Removes the global meter provider, tracer provider and context manager. */
export function resetTelemetry(): void {
  metrics.disable()
  trace.disable()
  context.disable()
}

/** Starts a span for each request and makes it active, as HTTP instrumentation does. */
export const traced: RequestHandler = (req, res, next) => {
  const span = trace.getTracer('host').startSpan(`${req.method} ${req.path}`, { kind: SpanKind.SERVER })
  res.on('close', () => span.end())
  context.with(trace.setSpan(context.active(), span), next)
}
