import { SCOPES } from './tokens.mjs'

const REQUEST = { grant_type: 'client_credentials', scope: SCOPES.join(' ') }
/** The form of a client that authenticates by HTTP Basic. */
export const FORM_WITHOUT_CREDENTIALS = new URLSearchParams(REQUEST).toString()

/** The token requests of clients, with credentials in the form or by HTTP Basic. */
export function clientLines(clients) {
  const form = ({ id, secret }) => new URLSearchParams({ ...REQUEST, client_id: id, client_secret: secret }).toString()
  return {
    forms: clients.map(form),
    basics: clients.map(({ id, secret }) => Buffer.from(`${id}:${secret}`).toString('base64')),
  }
}
