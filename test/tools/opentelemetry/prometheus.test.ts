import { readFileSync } from 'node:fs'
import { metrics } from '@opentelemetry/api'
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus'
import { MeterProvider } from '@opentelemetry/sdk-metrics'
import { afterEach, describe, expect, it } from 'vitest'
import { observe } from '../../../src/tools/opentelemetry/index.js'
import { listen } from '../../support/http.js'
import { resetTelemetry } from '../../support/telemetry.js'
import { makeAllHappen, openObserved, readSeries } from './observed.js'

afterEach(resetTelemetry)

const RULES = readFileSync(new URL('../../../docs/prometheus-rules.yml', import.meta.url), 'utf8')
const DASHBOARD = readFileSync(new URL('../../../docs/grafana-dashboard.json', import.meta.url), 'utf8')
const PAGE = readFileSync(new URL('../../../docs/observability.md', import.meta.url), 'utf8')

describe('a scrape by Prometheus', () => {
  it('contains the series that docs/observability.md shows, and no credential, name, address or id', async (test) => {
    const exporter = new PrometheusExporter({ preventServerStart: true, withoutScopeInfo: true })
    metrics.setGlobalMeterProvider(new MeterProvider({ readers: [exporter] }))
    const observed = await openObserved(test)
    observe(observed.auth)
    const hidden = await makeAllHappen(observed)

    const { port, close } = await listen((req, res) => exporter.getMetricsRequestHandler(req, res))
    test.onTestFinished(close)
    const answer = await fetch(`http://127.0.0.1:${port}/metrics`)
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain/)
    const text = await answer.text()
    for (const each of hidden) expect(text).not.toContain(each)

    const scraped = readSeries(text)
    const shown = readSeries(PAGE)
    expect(shown.size).toBeGreaterThan(10)
    expect([...scraped.keys()]).toEqual(expect.arrayContaining([...shown.keys()]))
    // Every metric and every label that the alerts and the dashboard use exists.
    const names = new Set([...scraped.keys()].map((series) => series.replace(/\{.*/, '')))
    const labels = new Set(
      [...scraped.keys()].flatMap((series) => [...series.matchAll(/(\w+)="/g)].map(([, label]) => label!)),
    )
    const queries = `${RULES} ${DASHBOARD.replaceAll('\\"', '"')}`
    const used = [...queries.matchAll(/\bplatform_auth_\w+/g)].map(([name]) => name)
    expect(new Set(used).size).toBeGreaterThan(15)
    for (const name of used) expect([...names, ...labels]).toContain(name)
    for (const [, name] of PAGE.matchAll(/\b(platform_auth_\w+_(?:total|available|count|sum|bucket))\b/g))
      expect(names).toContain(name)
    const usedLabels = [...queries.matchAll(/(\w+)(?:=~|!~|!=|=)"|\bby \(([\w, ]+)\)/g)].flatMap(
      ([, one, list = '']) => one ?? list.split(', '),
    )
    expect(new Set(usedLabels).size).toBeGreaterThan(2)
    for (const label of usedLabels) expect([...labels]).toContain(label)
    expect(scraped.get('platform_auth_requests_total{platform_auth_api_name="orders"}')).toBe(2)
    expect(scraped.get('platform_auth_store_outage_duration_count')).toBe(1)
  })
})
