/**
 * The options of the tests' platform, as the module of `--config`: for the command line, and for the server that runs
 * beside it. Tests change them by environment variables.
 */
import { appendFileSync } from 'node:fs'
import { emails } from 'express-platform-auth/emails'
import { imports } from 'express-platform-auth/imports'
import { plans } from 'express-platform-auth/plans'
import { portal } from 'express-platform-auth/portal'
import { registration } from 'express-platform-auth/registration'
import { sqliteStore } from 'express-platform-auth/stores/sqlite'
import { usage } from 'express-platform-auth/usage'

/** @returns {import('express-platform-auth').PlatformAuthOptions} */
function options() {
  const {
    CLI_FILE,
    CLI_BASE_URL,
    CLI_SECRET,
    CLI_MAIL,
    CLI_LINKS,
    CLI_ROTATE_EVERY,
    CLI_IMPORTED,
    CLI_KEY_AGE,
    CLI_PROOFS,
  } = process.env
  const { CLI_QUOTA } = process.env
  return {
    baseUrl: CLI_BASE_URL ?? 'http://localhost:3000',
    apis: {
      orders: { scheme: 'oauth2', scopes: { 'orders:read': 'Read orders', 'orders:write': 'Change orders' } },
      catalog: { scheme: 'apiKey', credentialMaxAge: CLI_KEY_AGE ? Number(CLI_KEY_AGE) : undefined },
      archive: { scheme: 'apiKey', registration: 'closed' },
      ...(CLI_PROOFS && { payments: { scheme: 'oauth2', clientAuthentication: ['private_key_jwt'] } }),
    },
    store: CLI_FILE ? sqliteStore(CLI_FILE) : undefined,
    secret: CLI_SECRET === '' ? undefined : (CLI_SECRET ?? 'a secret of 32 characters or more'),
    developersUrl: 'https://example.com/developers',
    tokens: { rotateEvery: CLI_ROTATE_EVERY ? Number(CLI_ROTATE_EVERY) : undefined },
    features: [
      CLI_MAIL && emails({ mailer: createMailer(CLI_MAIL), delivery: CLI_LINKS ? 'claim-link' : 'inline' }),
      CLI_MAIL && registration(),
      CLI_MAIL && portal(),
      CLI_IMPORTED === 'true' && imports(),
      CLI_QUOTA && plans({ gold: { requests: [{ limit: Number(CLI_QUOTA), per: 'day' }] } }),
      usage(),
    ],
  }
}

// oxlint-disable-next-line import/no-default-export -- `--config` takes the default export
export default options

/** Appends e-mails to a file, or fails as `refuses` or `is busy` say. @param {string} behavior */
function createMailer(behavior) {
  return {
    /** @param {import('express-platform-auth/emails').EmailMessage} email */
    async send(email) {
      if (behavior === 'refuses') {
        throw Object.assign(new Error(), { refused: true, permanent: true, responseCode: 550 })
      }
      if (behavior === 'is busy') throw Object.assign(new Error(), { refused: true, code: 'ECONNREFUSED' })
      appendFileSync(behavior, `${JSON.stringify(email)}\n`)
    },
  }
}
