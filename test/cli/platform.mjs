/**
 * The options of the tests' platform, as an operator's `--config` module exports them: for the command line, and for the
 * server beside it. The environment says what differs.
 */
import { appendFileSync } from 'node:fs'
import { sqliteStore } from 'express-platform-auth/stores/sqlite'

/** @returns {import('express-platform-auth').PlatformAuthOptions} */
function options() {
  const { CLI_FILE, CLI_BASE_URL, CLI_SECRET, CLI_MAIL, CLI_ROTATE_EVERY } = process.env
  return {
    baseUrl: CLI_BASE_URL ?? 'http://localhost:3000',
    apis: {
      orders: { scheme: 'oauth2', scopes: { 'orders:read': 'Read orders', 'orders:write': 'Change orders' } },
      catalog: { scheme: 'apiKey' },
      archive: { scheme: 'apiKey', registration: 'closed' },
    },
    store: CLI_FILE ? sqliteStore(CLI_FILE) : undefined,
    secret: CLI_SECRET === '' ? undefined : (CLI_SECRET ?? 'a secret of 32 characters or more'),
    mailer: CLI_MAIL ? mailer(CLI_MAIL) : undefined,
    signing: { rotateEvery: CLI_ROTATE_EVERY ? Number(CLI_ROTATE_EVERY) : undefined },
  }
}

// oxlint-disable-next-line import/no-default-export -- what `--config` takes
export default options

/** Adds emails to a file; or does as the word says. @param {string} what */
function mailer(what) {
  return {
    /** @param {import('express-platform-auth').EmailMessage} email */
    async send(email) {
      if (what === 'refuses') throw Object.assign(new Error(), { refused: true, permanent: true, responseCode: 550 })
      if (what === 'is busy') throw Object.assign(new Error(), { refused: true, code: 'ECONNREFUSED' })
      appendFileSync(what, `${JSON.stringify(email)}\n`)
    },
  }
}
