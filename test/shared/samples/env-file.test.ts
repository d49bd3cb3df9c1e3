import { expect, it } from 'vitest'
import { formatEnvFile } from '../../../src/shared/samples/env-file.js'

const ORDERS = {
  name: 'orders',
  resource: 'https://api.example/orders',
  tokenEndpoint: 'https://api.example/orders/token',
}
const STOCK = { name: '2nd-stock', resource: 'https://api.example/2nd-stock', tokenEndpoint: undefined }
const CREDENTIALS = { key: 'key_1', clientId: 'app_1', secret: 'sec_1' }

it.each([
  [
    'both kinds',
    [STOCK, ORDERS],
    [
      'API_KEY=key_1',
      'CLIENT_ID=app_1',
      'CLIENT_SECRET=sec_1',
      '_2ND_STOCK_URL=https://api.example/2nd-stock',
      'ORDERS_URL=https://api.example/orders',
      'ORDERS_TOKEN_URL=https://api.example/orders/token',
    ],
  ],
  ['key APIs only', [STOCK], ['API_KEY=key_1', '_2ND_STOCK_URL=https://api.example/2nd-stock']],
  ['no API any more', [], []],
])('.env has the credentials that the APIs take: %s', (_, apis, lines) => {
  expect(formatEnvFile(apis, CREDENTIALS, ['The key expires'])).toBe(`${['# The key expires', ...lines].join('\n')}\n`)
})

it('.env has no secret where only the key is new', () => {
  expect(formatEnvFile([ORDERS], { clientId: 'key_1' })).not.toContain('SECRET')
})
