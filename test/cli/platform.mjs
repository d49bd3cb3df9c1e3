/**
 * The options of the tests' platform, as the module of `--config`: for the command line, and for the server that runs
 * beside it. Tests change them by environment variables.
 */
import { appendFileSync } from 'node:fs'
import { sqliteStore } from 'express-platform-auth/stores/sqlite'

/** @returns {import('express-platform-auth').PlatformAuthOptions} */
function options() {
  const { CLI_FILE, CLI_BASE_URL, CLI_SECRET, CLI_MAIL, CLI_LINKS, CLI_ROTATE_EVERY, CLI_IMPORTED, CLI_KEY_AGE } =
    process.env
  return {
    baseUrl: CLI_BASE_URL ?? 'http://localhost:3000',
    apis: {
      orders: { scheme: 'oauth2', scopes: { 'orders:read': 'Read orders', 'orders:write': 'Change orders' } },
      catalog: { scheme: 'apiKey', credentialMaxAge: CLI_KEY_AGE ? Number(CLI_KEY_AGE) : undefined },
      archive: { scheme: 'apiKey', registration: 'closed' },
    },
    store: CLI_FILE ? sqliteStore(CLI_FILE) : undefined,
    secret: CLI_SECRET === '' ? undefined : (CLI_SECRET ?? 'a secret of 32 characters or more'),
    mailer: CLI_MAIL ? createMailer(CLI_MAIL) : undefined,
    delivery: CLI_LINKS ? 'claim-link' : 'inline',
    developersUrl: 'https://example.com/developers',
    importedCredentials: CLI_IMPORTED === 'true',
    signing: { rotateEvery: CLI_ROTATE_EVERY ? Number(CLI_ROTATE_EVERY) : undefined },
  }
}

// oxlint-disable-next-line import/no-default-export -- `--config` takes the default export
export default options

/** Appends e-mails to a file, or fails as `refuses` or `is busy` say. @param {string} behavior */
function createMailer(behavior) {
  return {
    /** @param {import('express-platform-auth').EmailMessage} email */
    async send(email) {
      if (behavior === 'refuses') {
        throw Object.assign(new Error(), { refused: true, permanent: true, responseCode: 550 })
      }
      if (behavior === 'is busy') throw Object.assign(new Error(), { refused: true, code: 'ECONNREFUSED' })
      appendFileSync(behavior, `${JSON.stringify(email)}\n`)
    },
  }
}
