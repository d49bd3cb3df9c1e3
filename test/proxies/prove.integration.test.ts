import type { Express } from 'express'
import { describe, it } from 'vitest'
import { startDeployment } from '../tools/cli/prove/deployment.js'
import { startProxy } from './proxies.js'

// Concurrent, because these tests mostly wait.
describe.concurrent('Behind the proxies of docs/operations.md,', { timeout: 300_000 }, () => {
  it.for(['haproxy', 'nginx'] as const)(
    'prove finds no deviation (%s), and no client chooses its own address or scheme',
    async (kind, { expect, onTestFinished }) => {
      const origins = new Set<string>()
      const before = (app: Express): void => {
        app.get('/healthz', (_req, res) => void res.end())
        app.use((req, _res, next) => {
          origins.add(`${req.protocol} ${req.ip}`)
          next()
        })
      }
      const deployment = await startDeployment({
        instances: [{ before }, { before }],
        proxy: (instances) => startProxy(kind, instances),
      })
      onTestFinished(deployment.end)
      const headers = { 'X-Forwarded-For': '192.0.2.7', 'X-Forwarded-Proto': 'https' }
      await (await fetch(`${deployment.url}/orders/items`, { headers })).text()
      const { code, stdout } = await deployment.prove('--json')
      expect(JSON.parse(stdout)).toMatchObject({ deviations: [] })
      expect(code).toBe(0)
      expect([...origins]).toEqual(['http 127.0.0.1'])
    },
  )
})
