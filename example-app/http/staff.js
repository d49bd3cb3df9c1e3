// @ts-check
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import express from 'express'
import { operatorPages } from 'express-platform-auth/operator'
import { html, sendPage } from './page.js'

const COOKIE = 'shop_staff'
const LIFETIME_MS = 12 * 3_600_000
const MAX_TRIES_PER_MINUTE = 20
const MAX_ADDRESSES = 1000

/**
 * The pages of the shop's own staff, behind a sign-in with one password for all. Put your own sign-in in its place.
 * @param {import('../platform.js').Platform} auth
 * @param {{ baseUrl: string, password: string }} options
 */
export function staffRoutes(auth, { baseUrl, password }) {
  const router = express.Router()
  const path = `${new URL(baseUrl).pathname.replace(/\/$/, '')}/operator`
  // Sessions end with the process.
  const sessions = createSessions(randomBytes(32))
  /** Wrong passwords of this minute, by address, so that one client does not lock out others. @type {Map<string, number>} */
  const tries = new Map()
  setInterval(() => tries.clear(), 60_000).unref()
  /** @type {express.RequestHandler} */
  const requireStaff = (req, res, next) => {
    const name = sessions.read(req)
    if (name === undefined) return sendSignIn(res.status(401))
    Object.assign(req, { user: { email: name } })
    next()
  }

  router.post('/operator/sign-in', express.urlencoded({ extended: false, limit: '2kb' }), (req, res) => {
    // One customer of a provider has a whole /64 of IPv6.
    const address = (req.ip ?? '').split(':').slice(0, 4).join(':')
    const count = tries.get(address) ?? (tries.size < MAX_ADDRESSES ? 0 : MAX_TRIES_PER_MINUTE)
    if (count >= MAX_TRIES_PER_MINUTE) return sendSignIn(res.status(429), 'Too many tries. Wait a minute.')
    const { name, password: given } = /** @type {Record<string, unknown>} */ (req.body ?? {})
    if (typeof name !== 'string' || name.length > 200 || typeof given !== 'string' || !isEqual(given, password)) {
      tries.set(address, count + 1)
      return sendSignIn(res.status(401), 'The password is not right.')
    }
    const cookie = {
      httpOnly: true,
      sameSite: /** @type {const} */ ('lax'),
      secure: baseUrl.startsWith('https:'),
      path,
    }
    res.cookie(COOKIE, sessions.create(name), { ...cookie, maxAge: LIFETIME_MS })
    res.redirect(303, path)
  })
  router.post('/operator/sign-out', requireStaff, (_req, res) => {
    res.clearCookie(COOKIE, { path })
    res.redirect(303, path)
  })
  router.use(
    '/operator',
    requireStaff,
    operatorPages(auth, { operator: (req) => req.user?.email, signOut: `${path}/sign-out` }),
  )
  return router

  /** @param {express.Response} res @param {string} [problem] */
  function sendSignIn(res, problem = '') {
    const form = html`<form method="post" action="${path}/sign-in">
      <p>${problem}</p>
      <p>
        <label>E-mail address <input name="name" type="email" required value="operator@example.com" /></label>
      </p>
      <p>
        <label>Password <input name="password" type="password" required autofocus /></label>
      </p>
      <button>Sign in</button>
    </form>`
    sendPage(res, 'Staff', form)
  }
}

/** Sessions that the browser keeps: who signed in, until when, and a MAC of both. @param {Buffer} key */
function createSessions(key) {
  /** @param {string} text */
  const sign = (text) => createHmac('sha256', key).update(text).digest('base64url')
  return {
    /** @param {string} name */
    create(name) {
      const text = Buffer.from(JSON.stringify([name, Date.now() + LIFETIME_MS])).toString('base64url')
      return `${text}.${sign(text)}`
    },
    /** @param {import('node:http').IncomingMessage} req @returns {string | undefined} */
    read({ headers: { cookie = '' } }) {
      const [, text = '', mac = ''] = new RegExp(`(?:^|; )${COOKIE}=([\\w-]+)\\.([\\w-]+)`).exec(cookie) ?? []
      if (!isEqual(mac, sign(text))) return undefined
      const [name, until] = JSON.parse(Buffer.from(text, 'base64url').toString())
      return Date.now() < until ? name : undefined
    },
  }
}

/** Compares in constant time. @param {string} given @param {string} expected */
function isEqual(given, expected) {
  const hash = (/** @type {string} */ text) => createHmac('sha256', 'comparison').update(text).digest()
  return timingSafeEqual(hash(given), hash(expected))
}
