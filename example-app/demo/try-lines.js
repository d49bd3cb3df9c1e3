// @ts-check
import { DEMO_CONTACT } from './demo-application.js'

/**
 * Prints the address, the demo application's credentials, and lines to paste into a shell.
 * @param {{
 *   baseUrl: string
 *   credentials: import('./demo-application.js').DemoCredentials
 *   credentialsFile: string
 *   folder: string | undefined
 *   customer: Customer | undefined
 *   staffPassword: string | undefined
 *   mailbox: boolean
 * }} options
 */
export function printTryLines({ baseUrl, credentials, credentialsFile, folder, customer, staffPassword, mailbox }) {
  const { clientId, clientSecret } = credentials
  const address = baseUrl === 'http://localhost:3000' ? '' : `PLATFORM_URL=${baseUrl} `
  const place = folder === undefined ? '' : `EXAMPLE_VAR='${folder.replaceAll("'", `'\\''`)}' `
  console.log(`
The example platform is running at ${baseUrl}

  for developers          ${baseUrl}/developers/
  register                ${baseUrl}/developers/register
  manage applications     ${baseUrl}/developers/applications
${staffPassword ? `  for operators           ${baseUrl}/operator (password: ${staffPassword})\n` : ''}${mailbox ? `  mailbox, for e-mails    ${baseUrl}/mailbox\n` : ''}
  key (client_id)         ${clientId}
  secret (client_secret)  ${clientSecret}
${customer ? `  customer (externalId)   ${customer.number}, with a discount of ${customer.discountPercent} % (metadata)\n` : ''}
These credentials belong to the demo application. They are stored in ${credentialsFile}
${mailbox ? `To manage the application, sign in as ${DEMO_CONTACT}: the e-mail with the link is in the mailbox.\n` : ''}Paste any of these commands into another shell:
${tryLines(baseUrl, credentials, customer)
  .map(([title, line]) => `\n# ${title}\n${line}\n`)
  .join('')}
A client that checks all of this: ${address}${place}npm run example:client
`)
}

/**
 * @param {string} baseUrl
 * @param {import('./demo-application.js').DemoCredentials} credentials
 * @param {Customer | undefined} customer
 * @returns {[title: string, line: string][]}
 */
function tryLines(baseUrl, { clientId, clientSecret }, customer) {
  const curl = `curl -sS -w '\\n'`
  const orders = `${baseUrl}/orders`
  const basic = `-u ${clientId}:${clientSecret} -d grant_type=client_credentials`
  const form = `-d grant_type=client_credentials -d client_id=${clientId} -d client_secret=${clientSecret}`
  const token = `$(curl -sS ${orders}/token ${basic} | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`
  const bearer = `-H "Authorization: Bearer ${token}"`
  const order = `-H 'Content-Type: application/json' -d '{ "product": "TEA-SENCHA-100", "quantity": 2 }'`
  return [
    ['An access token, with key and secret in the form', `${curl} ${orders}/token ${form}`],
    ['An access token, with key and secret by HTTP Basic', `${curl} ${orders}/token ${basic}`],
    ['Get an access token and place an order with it', `${curl} ${orders}/items ${bearer} ${order}`],
    ['Get an access token and list your orders with it', `${curl} ${orders}/items ${bearer}`],
    [
      'Search the catalogue, with the key alone',
      `${curl} '${baseUrl}/catalog/items?search=green' -H 'X-Api-Key: ${clientId}'`,
    ],
    ...(customer ? [discountLine(customer)] : []),
    ['Refused: no access token. WWW-Authenticate says what is missing', `${curl} -i ${orders}/items`],
  ]
}

/** @param {Customer} customer @returns {[title: string, line: string]} */
function discountLine({ number }) {
  return [
    `Give customer ${number} a discount of 20 %. Search again: yourPriceInCents follows`,
    `node example-app/discount.js ${number} 20`,
  ]
}

/** @typedef {{ number: string, discountPercent: number }} Customer */
