/** What 1,000 clients send a token endpoint: their credentials in the form, or by HTTP Basic. */
export function clientLines(clients) {
  const form = ({ id, secret }) =>
    new URLSearchParams({ grant_type: 'client_credentials', client_id: id, client_secret: secret }).toString()
  return {
    forms: clients.map(form),
    basics: clients.map(({ id, secret }) => Buffer.from(`${id}:${secret}`).toString('base64')),
  }
}
