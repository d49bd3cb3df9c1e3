import { setTimeout as sleep } from 'node:timers/promises'
import express from 'express'
import { describe, expect, it } from 'vitest'
import { emails } from '../../src/features/emails/index.js'
import { registration } from '../../src/features/registration/index.js'
import { usage } from '../../src/features/usage/index.js'
import { authOf, createPlatformAuth } from '../../src/index.js'
import { memoryMailer } from '../../src/tools/testing/index.js'
import { createApplication, createTokenForm, listen } from '../support/http.js'
import { DATABASES } from '../support/databases.js'
import { recordingLogger, SECRET } from '../support/platform.js'

const APIS = { orders: { scheme: 'oauth2' }, catalog: { scheme: 'apiKey' } } as const

describe.each(Object.entries(DATABASES))('auth.close() on %s during requests', (_, createDatabase) => {
  it('answers requests with success or 503, and keeps every acknowledged registration', async ({ onTestFinished }) => {
    const database = await createDatabase()
    const open = () => database.open({ listen: true })
    const logger = recordingLogger()
    const options = {
      baseUrl: 'http://localhost',
      apis: APIS,
      secret: SECRET,
      logger,
      features: [
        emails({ mailer: memoryMailer() }),
        registration({ limits: { registration: false, allRegistrations: false } }),
        usage(),
      ] as const,
    }
    const auth = createPlatformAuth({ ...options, store: open(), maxStaleness: 1 })
    const known = await createApplication(auth, ['orders', 'catalog'])
    const unseen = await createApplication(auth, ['catalog'])
    const app = express().use(auth.router).use('/register', auth.registration.router)
    app.get('/catalog/items', auth.requireApiKey('catalog'), (req, res) => void res.json(authOf(req).application.id))
    const { port, close } = await listen(app)
    onTestFinished(close)

    const acknowledged: string[] = []
    let number = 0
    const statuses: Record<string, number[]> = { token: [], key: [], registration: [] }
    const send = async (path: string, init: RequestInit = {}): Promise<{ status: number; text: string }> => {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, { ...init, signal: AbortSignal.timeout(60_000) })
      return { status: answer.status, text: await answer.text() }
    }
    const requests: Readonly<Record<string, () => Promise<{ status: number; text: string }>>> = {
      token: () => send('/orders/token', { method: 'POST', body: new URLSearchParams(createTokenForm(known)) }),
      key: () => send('/catalog/items', { headers: { 'X-Api-Key': known.clientId } }),
      async registration() {
        number += 1
        const name = `app-${number}`
        const body = JSON.stringify({ name, contact: 'dev@customer.example', apis: ['catalog'] })
        const answer = await send('/register', {
          method: 'POST',
          body,
          headers: { 'Content-Type': 'application/json' },
        })
        if (answer.status === 202) acknowledged.push(name)
        return answer
      },
    }
    const stopped = new AbortController()
    const load = ['token', 'key', 'registration', 'token', 'key', 'registration'].map(async (what) => {
      while (!stopped.signal.aborted) statuses[what]!.push((await requests[what]!()).status)
    })
    const isLoaded = (): boolean => Object.values(statuses).every(({ length }) => length > 0) && acknowledged.length > 0
    await expect.poll(isLoaded, { interval: 20 }).toBe(true)
    await sleep(300)
    await auth.close()
    const answerToUncached = await send('/catalog/items', { headers: { 'X-Api-Key': unseen.clientId } })
    expect(answerToUncached.status).toBe(503)
    const readStatuses = async (): Promise<number[]> =>
      Promise.all(Object.values(requests).map(async (each) => (await each()).status))
    await expect.poll(readStatuses, { interval: 100 }).toEqual([503, 503, 503])
    stopped.abort()
    await Promise.all(load)

    const others = Object.values(statuses)
      .flat()
      .filter((status) => ![200, 202, 503].includes(status))
    expect(others).toEqual([])
    const answerToUnknown = await send('/catalog/items', { headers: { 'X-Api-Key': 'epa_key_unknown' } })
    expect(answerToUnknown.status).toBe(503)

    const again = createPlatformAuth({ ...options, store: open() })
    onTestFinished(() => again.close())
    const { items: applications } = await again.applications.list({ limit: 1000 })
    const names = new Set(applications.map(({ name }) => name))
    expect(acknowledged.length).toBeGreaterThan(0)
    expect(acknowledged.filter((name) => !names.has(name))).toEqual([])
    const { keys } = applications.find(({ id }) => id === known.id)!
    expect(keys[0]?.lastUsedAt).toBeInstanceOf(Date)
  })
})
