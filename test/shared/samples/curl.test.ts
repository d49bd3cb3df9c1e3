import { expect, it } from 'vitest'
import type { SampleCall } from '../../../src/shared/samples/prepare.js'
import { createSamples } from '../../../src/shared/samples/samples.js'
import { formatTokenAssignment } from '../../../src/shared/samples/curl.js'

const CALL: SampleCall = {
  scheme: 'oauth2',
  method: 'GET',
  url: 'https://api.example.com/orders/items',
  headers: [],
  tokenEndpoint: 'https://api.example.com/orders/token',
}
const KEY_CALL: SampleCall = { ...CALL, scheme: 'apiKey', url: 'https://api.example.com/catalog/items' }

const write = (call: SampleCall): string | undefined =>
  createSamples(call).find(({ language }) => language === 'curl')?.code

it('has two blocks: one gets an access token, one makes the call with it', () => {
  const blocks = write(CALL)?.split('\n\n')
  expect(blocks).toEqual([
    `ACCESS_TOKEN=$(curl -sSf \\
  -u "$CLIENT_ID:$CLIENT_SECRET" \\
  -d grant_type=client_credentials \\
  https://api.example.com/orders/token |
  sed 's/.*"access_token":"\\{0,1\\}\\([^",}]*\\).*/\\1/')`,
    `curl -H "Authorization: Bearer $ACCESS_TOKEN" \\\n  https://api.example.com/orders/items`,
  ])
})

it('writes credentials where they are given, and their variables where not', () => {
  const command = (credentials: SampleCall['credentials']): string =>
    formatTokenAssignment({ tokenEndpoint: 'https://api.example.com/orders/token', credentials })
  expect(command({})).toContain('-u "$CLIENT_ID:$CLIENT_SECRET"')
  expect(command({ key: 'app_1' })).toContain('-u "app_1:$CLIENT_SECRET"')
  expect(command({ key: 'app_1', secret: `'$x` })).toContain(`-u 'app_1:'\\''$x'`)
  expect(write(KEY_CALL)).toBe(`curl -H "X-Api-Key: $API_KEY" \\\n  https://api.example.com/catalog/items`)
  expect(write({ ...KEY_CALL, keyHeader: 'Key', credentials: { key: 'k_1' } })).toContain(`-H "Key: k_1"`)
})

it('writes the method only where curl would choose another', () => {
  const body = { mediaType: 'text/plain', text: '' }
  expect(write({ ...KEY_CALL, method: 'GET' })).not.toContain('-X')
  expect(write({ ...KEY_CALL, method: 'GET', body })).toContain('-X GET')
  expect(write({ ...KEY_CALL, method: 'POST', body })).not.toContain('-X')
  expect(write({ ...KEY_CALL, method: 'POST' })).toContain('-X POST')
  expect(write({ ...KEY_CALL, method: 'head' })).toContain('--head')
})

it('reads no file but the one that is chosen, whatever the name of its part', () => {
  const fields = [{ name: 'a=@/etc/passwd;b', file: { name: 'FILE' } }]
  const code = write({ ...KEY_CALL, method: 'POST', body: { mediaType: 'multipart/form-data', fields } })
  expect(code).toContain("-F 'a%3D@/etc/passwd;b=@FILE'")
})

it('makes characters that a terminal obeys or does not show with printf', () => {
  const code = write({ ...KEY_CALL, body: { mediaType: 'text/plain', text: "it's \u001b[201~100%\u202E\n" } })
  expect(code).toContain(`--data-raw "$(printf -- 'it'\\''s \\033[201~100%%\\342\\200\\256')"'\n'`)
})
