import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { createSamples } from '../../../src/shared/samples/samples.js'
import { SHORT_RUNS } from './languages.js'
import { openSampleHost } from './sample-host.js'
import { testSamples } from './sample-suite.js'

testSamples(SHORT_RUNS)

it('a sample in curl gets an access token for the client of the environment, and calls nothing without one', async () => {
  const host = await openSampleHost()
  onTestFinished(() => host.close())
  const call = {
    scheme: 'oauth2',
    method: 'GET',
    headers: [],
    tokenEndpoint: `${host.baseUrl}/orders/token`,
  } as const
  const url = `${host.baseUrl}/orders/shell`
  const [sample] = createSamples({ ...call, url })
  const [revealed] = createSamples({
    ...call,
    url,
    credentials: { key: host.other.clientId, secret: host.other.clientSecret },
  })
  const switched = `CLIENT_ID=${host.other.clientId} CLIENT_SECRET=${host.other.clientSecret}`
  const lines = [
    sample,
    sample,
    `export ${switched}`,
    sample,
    'CLIENT_SECRET=wrong CLIENT_ID=stranger',
    sample,
    revealed,
  ]
  const script = lines.map((line) => (typeof line === 'string' ? line : line!.code)).join('\n')
  await promisify(execFile)('sh', ['-c', script], { env: { PATH: process.env['PATH'], ...host.environment } })
  const { applicationId, other } = host
  expect(host.requests.map((request) => request.applicationId)).toEqual([
    applicationId,
    applicationId,
    other.id,
    other.id,
  ])
  expect(host.tokens['orders']).toBe(4)
})
