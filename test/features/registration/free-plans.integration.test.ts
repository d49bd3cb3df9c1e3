import express from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'
import { registration } from '../../../src/features/registration/index.js'
import { plans } from '../../../src/features/plans/index.js'
import { emails } from '../../../src/features/emails/index.js'
import { createPlatformAuth, memoryStore } from '../../../src/index.js'
import { memoryMailer } from '../../../src/tools/testing/index.js'
import { request } from '../../support/request.js'

const WEEK = 7 * 86_400

describe('docs/plans.md, "How free plans are bounded"', () => {
  it('a contact registers as many applications with a free plan in a week as the limit says, from any address, with any tag', async () => {
    const auth = createPlatformAuth({
      baseUrl: 'https://api.example.com',
      apis: { catalog: { scheme: 'apiKey' } },
      store: memoryStore(),
      secret: 'a secret of 32 characters or more',
      logger: { debug() {}, info() {}, warn() {}, error() {} },
      features: [
        emails({ mailer: memoryMailer() }),
        plans({ free: { requests: [{ limit: 5, per: 'month' }] } }, { default: 'free' }),
        registration({ limits: { registration: { limit: 2, window: WEEK }, foldTags: true } }),
      ],
    })
    onTestFinished(() => auth.close())
    const app = express().set('trust proxy', true).use('/register', auth.registration.router)
    const register = (at: number, contact: string) =>
      request(app)
        .post('/register')
        .set('X-Forwarded-For', `198.51.100.${at}`)
        .send({ name: 'Shop', contact, apis: ['catalog'] })
    expect((await register(1, 'dev@customer.example')).status).toBe(202)
    expect((await register(2, 'Dev+2@customer.example')).status).toBe(202)
    await expect.poll(async () => (await auth.applications.list({ plan: 'free' })).items.length).toBe(2)
    const refused = await register(3, 'dev+3@customer.example')
    expect(refused.status).toBe(429)
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(WEEK - 120)
    expect((await auth.applications.list({ plan: 'free' })).items).toHaveLength(2)
  })
})
