// The exercise on an observed platform: what the SDK of OpenTelemetry counted of it.
const { metrics } = require('@opentelemetry/api')
const { InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader } = require('@opentelemetry/sdk-metrics')
const exercise = require('./exercise.cjs')

module.exports = async function exerciseObserved({ createPlatformAuth, observe, ...parts }) {
  const exporter = new InMemoryMetricExporter(1)
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 })
  const provider = new MeterProvider({ readers: [reader] })
  await exercise({
    ...parts,
    createPlatformAuth(options) {
      const auth = createPlatformAuth(options)
      observe(auth)
      // Set later than that, as it may be.
      metrics.setGlobalMeterProvider(provider)
      return auth
    },
  })
  await provider.forceFlush()
  const [{ scopeMetrics }] = exporter.getMetrics()
  const requests = scopeMetrics[0].metrics.find(({ descriptor }) => descriptor.name === 'platform_auth.requests')
  await provider.shutdown()
  return requests.dataPoints.map(({ attributes, value }) => [attributes, value])
}
