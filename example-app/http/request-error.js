// @ts-check

/** A refused request. Its answer has the same JSON members as the platform's refusals. */
export class RequestError extends Error {
  /** @param {number} status @param {string} code @param {string} description what the caller may read */
  constructor(status, code, description) {
    super(description)
    this.status = status
    this.code = code
  }
}

/** @param {string} thing @returns {never} */
export function notFound(thing) {
  throw new RequestError(404, 'not_found', `There is no such ${thing}.`)
}

/** @param {import('express').Request} req @returns {never} */
export function answerNotFound(req) {
  throw new RequestError(404, 'not_found', `There is nothing at ${req.method} ${req.path}.`)
}

/**
 * @param {unknown} error
 * @param {import('express').Request} _req
 * @param {import('express').Response} res
 * @param {import('express').NextFunction} next
 */
export function answerError(error, _req, res, next) {
  const { status, code, message } = asRequestError(error)
  if (status === 500) console.error(error)
  if (res.headersSent) next(error)
  else res.status(status).json({ error: code, error_description: message })
}

/** @param {any} error */
function asRequestError(error) {
  if (error instanceof RequestError) return error
  // Express sets `status` for errors of the caller: malformed JSON, a body that is too large, a wrong % in the path.
  if (error?.status >= 400 && error.status < 500) {
    return new RequestError(error.status, 'invalid_request', `The request can't be read: ${error.message}`)
  }
  return new RequestError(500, 'server_error', 'Something went wrong here.')
}
