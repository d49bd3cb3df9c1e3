import type { Api } from '../../../src/index.js'

/** The API of tests that need no platform. */
export const TEAS: Api = {
  name: 'teas',
  title: 'Teas',
  description: undefined,
  scheme: 'oauth2',
  scopes: { 'teas:write': 'Change teas' },
  tokenEndpoint: 'https://api.example.com/teas/token',
  clientAuthentication: ['client_secret_basic'],
  keyHeaders: [],
  resource: 'https://api.example.com/teas',
}
