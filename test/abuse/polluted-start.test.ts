import express from 'express'
import { expect, it } from 'vitest'
import { createApplication } from '../support/http.js'
import { openPlatform } from '../support/platform.js'
import { request } from '../support/request.js'
import { whilePolluted } from '../support/while-polluted.js'

const NAMES = ['bytesOf', 'checkPost', 'emails', 'mayUse', 'needs', 'noted', 'optionNeeds', 'storeParts']

it.each(NAMES)('a platform that starts while every object inherits %s answers as others do', async (name) => {
  for (const value of ['polluted', { orders: 'polluted' }, true]) {
    const { auth, clientId } = await whilePolluted({ [name]: value }, async () => {
      const opened = openPlatform({ developersUrl: 'https://example.com/developers', mailer: { send: async () => {} } })
      await opened.auth.ready()
      return { ...opened, ...(await createApplication(opened.auth, ['catalog'])) }
    })
    const app = express().use(auth.router).use('/portal', auth.portal.router)
    app.get('/catalog', auth.requireApiKey('catalog'), (_req, res) => void res.end())
    expect((await request(app).get('/catalog').set('X-Api-Key', clientId)).status).toBe(200)
    expect((await request(app).post('/portal/sign-in').type('form').send({ contact: 'dev@example.com' })).status).toBe(
      403,
    )
    await auth.close()
  }
})
