import type { Middleware } from '../../core/http/middleware.js'
import type { EmailQueue } from './store-calls.js'

/** `auth.emails`: the e-mails that are to be sent. */
export interface Emails extends EmailQueue {
  /**
   * The page at `/claim` that shows the credentials of a claim link, once. The console serves it at `/register`; without the console
   * mount it at `{developersUrl}/register`.
   */
  readonly router: Middleware
}
