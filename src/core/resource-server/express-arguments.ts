import type { ServerResponse } from 'node:http'
import { ConfigurationError } from '../../shared/contracts/errors.js'

/** The error for a guard that was not called with request and response: express-ws calls it with a socket and the request. */
export function findWrongArguments(res: ServerResponse): ConfigurationError | undefined {
  if ((res as Partial<ServerResponse>).setHeader !== undefined) return undefined
  return new ConfigurationError({
    problem: 'A guard was called with other arguments than (req, res, next), as within app.ws() of express-ws',
    fix: "Mount it before the WebSocket route: app.use('/path', guard).",
  })
}
