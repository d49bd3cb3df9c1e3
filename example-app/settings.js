// @ts-check
import { randomBytes } from 'node:crypto'
import { join, resolve } from 'node:path'

/** A wrong setting. The message names it and says how to fix it. */
export class SettingsError extends Error {}

/** Reads the environment variables, with defaults. */
export function readSettings() {
  const {
    PORT,
    PLATFORM_URL,
    DATABASE_URL,
    SMTP_URL,
    MAIL_FROM,
    OPERATORS,
    EXAMPLE_VAR,
    NODE_ENV,
    DRAIN_SECONDS,
    STAFF_PASSWORD,
  } = process.env
  const production = NODE_ENV === 'production'
  const port = readPort(PORT || '3000')
  const folder = resolve(EXAMPLE_VAR || join(import.meta.dirname, 'var'))
  return {
    port,
    /** The URL of the platform as seen by clients, without a trailing slash. */
    baseUrl: (PLATFORM_URL || `http://localhost:${port}`).replace(/\/$/, ''),
    databaseUrl: DATABASE_URL || join(folder, 'example.sqlite'),
    /** Whether this is a deployment, not a trial. */
    production,
    /** How long requests are accepted after the signal to stop: until the proxy has noticed. 0 without a proxy. */
    drainSeconds: readDrainSeconds(DRAIN_SECONDS || (production ? '5' : '0')),
    smtpUrl: SMTP_URL || undefined,
    mailFrom: MAIL_FROM || 'shop@example.com',
    /** Who approves registrations; undefined if nobody has to. */
    operators: OPERATORS ? OPERATORS.split(',').map((each) => each.trim()) : undefined,
    /** With which the staff signs in; a deployment has to set it. */
    staffPassword: STAFF_PASSWORD || (production ? undefined : randomBytes(9).toString('base64url')),
    /** Undefined unless `EXAMPLE_VAR` names it. */
    folder: EXAMPLE_VAR ? folder : undefined,
    mailFolder: join(folder, 'mail'),
    secretFile: join(folder, 'platform-auth-secret'),
    credentialsFile: join(folder, 'demo-credentials.json'),
  }
}

/** @param {string} text */
function readPort(text) {
  const port = Number(text)
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port
  throw new SettingsError(`PORT is "${text}". Set it to a number from 1 to 65535, such as PORT=3000.`)
}

/** @param {string} text */
function readDrainSeconds(text) {
  const seconds = Number(text)
  if (Number.isInteger(seconds) && seconds >= 0 && seconds <= 60) return seconds
  throw new SettingsError(`DRAIN_SECONDS is "${text}". Set it to a number from 0 to 60, such as DRAIN_SECONDS=5.`)
}
