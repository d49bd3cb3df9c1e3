/** The labels of codes and links in English. */
export const LABELS = {
  key: (uses: string) => `Key (${uses})`,
  secret: 'Secret (client_secret)',
  /** The label of an id that may be the `client_id`. */
  publicId: 'You can use it as client_id; it is not secret',
  applicationId: 'Application id',
  contact: 'Contact',
  requested: 'Asks for',
  address: 'From the address',
  expiresAt: 'Expires at',
  keyExpiresAt: 'The key expires at',
  secretExpiresAt: 'The secret expires at',
  firstCharacters: (kind: 'key' | 'secret') => `First characters of the ${kind}`,
  publicKeys: 'Public keys',
  withLibrary: 'The same with openid-client, which makes the assertion ($CLIENT_ASSERTION)',
  code: 'Code',
  tokenAddress: 'Get access tokens at',
  getToken: 'Get an access token',
  useToken: 'Call the API with it (append the path of a resource)',
  keyHeader: 'Send your key in the header',
  keyScopes: 'Scopes of your key',
  useKey: 'Call the API (append the path of a resource)',
  /** The label of a link to the same call in other languages. */
  languages: 'The same in JavaScript, Python, Go, PHP, Java and C#',
  /** The label of a link in the text, and of a button. */
  documentation: 'Read the documentation',
  manage: 'Manage the application',
  support: 'Help',
}

export type EmailLabels = typeof LABELS
