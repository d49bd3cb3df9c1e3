import { createRequire } from 'node:module'
import type { Express, Request, RequestHandler, Response } from 'express'
import passport, { Strategy } from 'passport'
import { HeaderAPIKeyStrategy } from 'passport-headerapikey'
import { Strategy as BearerStrategy } from 'passport-http-bearer'
import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { authOf } from '../../src/index.js'
import { onEveryPlatform } from '../support/platform.js'
import { prepareHostApp } from './host-app.js'
import { observeGuard, NOTHING_CHANGED, readProcessState } from './observe-guard.js'

// The package has no types.
const require = createRequire(import.meta.url)
const session = require('express-session') as (options: object) => RequestHandler

usePassport()
const before = readProcessState()

onEveryPlatform((host) => {
  const { newApp, bearer, key } = prepareHostApp(host)

  describe('an app with the global passport, sessions and req.user', () => {
    const orders = () => observeGuard(host.auth.requireBearer('orders'))
    const catalog = () => observeGuard(host.auth.requireApiKey('catalog'))

    function appWithSessions() {
      const app = newApp()
      const watched = [orders(), catalog(), orders(), orders(), catalog()] as const
      app.use(session({ secret: 'of the host', resave: false, saveUninitialized: false }))
      app.use(passport.initialize(), passport.session())
      app.use(host.auth.router)
      app.post('/login', passport.authenticate('local'), (req, res) => void res.json(req.user))
      app.get('/me', (req, res) => void res.json({ user: req.user ?? null, authenticated: req.isAuthenticated() }))
      const sendUserAndApplication: RequestHandler = (req, res) =>
        void res.json({ user: req.user ?? null, application: authOf(req).application.name })
      app.get('/orders/items', watched[0].guard, sendUserAndApplication)
      app.get('/catalog/items', watched[1].guard, sendUserAndApplication)
      app.post('/orders/login', watched[2].guard, logIn)
      app.post('/orders/logout', watched[3].guard, logOut)
      app.post('/catalog/login', watched[4].guard, logIn)
      const seen = () => watched.flatMap((each) => each.seen)
      return { app, browser: request.agent(app), seen }
    }

    it('keeps its req.user beside authOf(req)', async () => {
      const { browser, seen } = appWithSessions()
      await browser.post('/login').expect(200, { id: 'ann' })
      await browser
        .get('/orders/items')
        .set(bearer())
        .expect(200, { user: { id: 'ann' }, application: 'Shop' })
      await browser
        .get('/catalog/items')
        .set(key())
        .expect(200, { user: { id: 'ann' }, application: 'Shop' })
      await browser.get('/me').expect(200, { user: { id: 'ann' }, authenticated: true })
      expect(seen()).toEqual([NOTHING_CHANGED, NOTHING_CHANGED])
    })

    it.each(['/orders', '/catalog'])('logs in with req.login() behind the guard of %s', async (api) => {
      const { browser, seen } = appWithSessions()
      const { headers } = await browser.post(`${api}/login`).set(bearer()).set(key()).expect(200, { id: 'ann' })
      expect(headers['set-cookie']).toEqual([expect.stringMatching(/^connect\.sid=/)])
      await browser.get('/me').expect(200, { user: { id: 'ann' }, authenticated: true })
      expect(seen()).toEqual([NOTHING_CHANGED])
    })

    it('logs out with req.logout() behind a guard', async () => {
      const { browser, seen } = appWithSessions()
      await browser.post('/login').expect(200)
      await browser.post('/orders/logout').set(bearer()).expect(200, { user: null })
      await browser.get('/me').expect(200, { user: null, authenticated: false })
      expect(seen()).toEqual([NOTHING_CHANGED])
    })

    it('keeps its session when a guard refuses', async () => {
      const { browser } = appWithSessions()
      await browser.post('/login').expect(200)
      await browser.get('/orders/items').expect(401)
      await browser.get('/catalog/items').set('X-Api-Key', 'none').expect(401)
      await browser.post('/orders/token').type('form').send({ grant_type: 'client_credentials' }).expect(401)
      await browser.get('/me').expect(200, { user: { id: 'ann' }, authenticated: true })
    })

    it('works with passport.initialize() behind the guard, and without it', async () => {
      const app = newApp()
      app.use(host.auth.requireBearer('orders'))
      app.use(session({ secret: 'of the host', resave: false, saveUninitialized: false }))
      app.use(passport.initialize(), passport.session())
      app.post('/login', logIn)
      app.get('/me', (req, res) => void res.json(req.user))
      const browser = request.agent(app).set(bearer())
      await browser.post('/login').expect(200)
      await browser.get('/me').expect(200, { id: 'ann' })

      const without = newApp().get(
        '/',
        host.auth.requireBearer('orders'),
        (req, res) => void res.json(Object.keys(req)),
      )
      const { body } = await request(without).get('/').set(bearer()).expect(200)
      for (const name of ['login', 'logIn', 'isAuthenticated', 'user', '_sessionManager'])
        expect(body).not.toContain(name)
    })
  })

  describe("an app with strategies of the same names on passport's default instance", () => {
    function appWithStrategies(): Express {
      const app = newApp().use(host.auth.router)
      for (const name of ['bearer', 'headerapikey', 'guard']) {
        app.get(`/host/${name}`, passport.authenticate(name, { session: false }), (req, res) => void res.json(req.user))
      }
      app.get('/orders/items', host.auth.requireBearer('orders'), (req, res) => void res.json(authOf(req).application))
      app.get(
        '/catalog/items',
        host.auth.requireApiKey('catalog'),
        (req, res) => void res.json(authOf(req).application),
      )
      return app
    }

    it('keeps them working, for their own credentials only', async () => {
      const app = appWithStrategies()
      for (let round = 0; round < 2; round++) {
        const humans = { Authorization: 'Bearer token-of-the-host' }
        await request(app).get('/host/bearer').set(humans).expect(200, { name: 'by bearer' })
        await request(app)
          .get('/host/headerapikey')
          .set('X-Api-Key', 'key-of-the-host')
          .expect(200, { name: 'by headerapikey' })
        await request(app).get('/host/guard').expect(200, { name: 'by guard' })
        await request(app).get('/host/bearer').set(bearer()).expect(401)
        await request(app).get('/host/headerapikey').set(key()).expect(401)

        await request(app)
          .get('/orders/items')
          .set(bearer())
          .expect(200, /"name":"Shop"/)
        await request(app)
          .get('/catalog/items')
          .set(key())
          .expect(200, /"name":"Shop"/)
        await request(app)
          .get('/orders/items')
          .set(humans)
          .expect(401, /invalid_token/)
        await request(app)
          .get('/catalog/items')
          .set('X-Api-Key', 'key-of-the-host')
          .expect(401, /invalid_api_key/)
      }
    })
  })
})

it("passport's default instance, prototypes, globals and listeners are unchanged after these tests", () => {
  expect(readProcessState()).toEqual(before)
})

/** The host's own Passport: a login, and strategies with the same names as those of the guards. */
function usePassport(): void {
  // Once before the comparison, since the first request stores settings on the instance.
  passport.initialize()({} as Request, {} as Response, () => undefined)
  const local = Object.assign(new Strategy(), {
    authenticate(this: { success(user: object): void }) {
      this.success({ id: 'ann' })
    },
  })
  passport.use('local', local)
  passport.serializeUser((user, done) => done(null, (user as { id: string }).id))
  passport.deserializeUser((id: string, done) => done(null, { id }))

  passport.use(new BearerStrategy((token, done) => done(null, token === 'token-of-the-host' && { name: 'by bearer' })))
  passport.use(
    new HeaderAPIKeyStrategy(
      { header: 'X-Api-Key', prefix: '' },
      false,
      (apiKey: string, done: (error: null, user?: object | false) => void) =>
        done(null, apiKey === 'key-of-the-host' && { name: 'by headerapikey' }),
    ),
  )
  const guard = Object.assign(new Strategy(), {
    authenticate(this: { success(user: object): void }) {
      this.success({ name: 'by guard' })
    },
  })
  passport.use('guard', guard)
}

const logIn: RequestHandler = (req, res, next) =>
  req.login({ id: 'ann' }, (error) => (error ? next(error) : res.json(req.user)))

const logOut: RequestHandler = (req, res, next) =>
  req.logout((error) => (error ? next(error) : res.json({ user: req.user ?? null })))
