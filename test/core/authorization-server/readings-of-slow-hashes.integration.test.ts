import { expect, it } from 'vitest'
import { onEveryPlatform } from '../../support/platform.js'
import { request } from '../../support/request.js'

/** Of `x9!Kq2 vR7_pL4&wZ1`. */
const BCRYPT = '$2b$04$rceP/0LN3Z9LT9l8cYXZBOVNUIp4nuPcOHpcp66qBX.th6NvLHBvK'
/** As it was sent, form-decoded, with the colon alone decoded; and each without the blank at its end. */
const SIX_READINGS = 'a+b%3Ac%20d '

onEveryPlatform(
  (host) => {
    const send = (address: string, clientId: string, secret: string) =>
      request(host.app)
        .post('/orders/token')
        .set('X-Forwarded-For', address)
        .set('Authorization', `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`)
        .type('form')
        .send({ grant_type: 'client_credentials' })

    it('one request whose secret has six readings costs a stranger as many failures as six requests', async () => {
      host.app.set('trust proxy', true)
      const line = { name: 'Old', apis: ['orders'], clientId: 'old-client', secrets: [{ bcrypt: BCRYPT }] }
      await host.auth.imports.run([line], { confirm: true })
      expect((await send('192.0.2.1', 'old-client', SIX_READINGS)).status).toBe(401)
      expect((await send('192.0.2.1', 'old-client', 'wrong')).status).toBe(429)
      // Where nothing is slow to compute, it is one failure.
      for (let i = 0; i < 6; i++) expect((await send('192.0.2.2', 'unknown', SIX_READINGS)).status).toBe(401)
      // The right secret passes, also form-encoded, and whatever the address has sent before.
      expect((await send('192.0.2.1', 'old-client', encodeURIComponent('x9!Kq2 vR7_pL4&wZ1'))).status).toBe(200)
    })
  },
  { imports: {}, rateLimits: { failedAuthentication: { limit: 6, window: 60 } } },
)
