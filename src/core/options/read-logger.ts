import { inspect } from 'node:util'
import type { Logger } from '../../shared/contracts/logger.js'
import { isObject } from '../../shared/lib/own-members.js'
import { invalidOption } from '../../shared/lib/option-checks.js'

type Level = keyof Logger

const LEVELS: readonly Level[] = ['debug', 'info', 'warn', 'error']

/** The host's logger, called as its package writes errors with their stacks and causes. */
export function readLogger(logger: unknown): Logger {
  if (logger === undefined) return CONSOLE
  if (!isObject(logger)) throw invalidOption('logger', logger, 'Give it debug, info, warn and error.')
  for (const level of LEVELS) {
    if (typeof logger[level] === 'function') continue
    throw invalidOption(`logger.${level}`, logger[level], 'A logger has debug, info, warn and error.')
  }
  const given = logger as unknown as Logger
  // nestjs-pino's PinoLogger has pino's calls and the logger itself.
  const pino = [logger, logger['logger']].filter(isObject).some(({ bindings }) => typeof bindings === 'function')
  if (pino) return withLogError(given, logErrorToPino)
  const isWinston = Array.isArray(logger['transports']) && typeof logger['isLevelEnabled'] === 'function'
  return isWinston ? withLogError(given, logErrorToWinston) : given
}

type LogError = (logger: Logger, level: Level, message: string, error: Error) => void

/** A logger that drops what is neither the message nor an error gets it in the message. */
function withLogError(logger: Logger, logError: LogError): Logger {
  const at =
    (level: Level): Logger[Level] =>
    (message, ...details) => {
      const error = details.find((detail) => detail instanceof Error)
      const others = details.filter((detail) => detail !== error)
      const text = [message, ...others.map((each) => (typeof each === 'string' ? each : inspect(each)))].join(' ')
      if (error) logError(logger, level, text, error)
      else logger[level](text)
    }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

/** pino takes an error as the first argument. Its serializer writes stack and causes. */
function logErrorToPino(logger: Logger, level: Level, message: string, error: Error): void {
  ;(logger[level] as unknown as (error: Error, message: string) => void).call(logger, error, message)
}

/** winston writes an error's stack, and not its causes. */
function logErrorToWinston(logger: Logger, level: Level, message: string, error: Error): void {
  logger[level](message, Object.create(error, { stack: { value: inspect(error) } }))
}

/** Looked up at each call: the host may replace the console's methods later. */
const CONSOLE: Logger = {
  debug() {},
  info() {},
  get warn() {
    return globalThis.console.warn
  },
  get error() {
    return globalThis.console.error
  },
}
