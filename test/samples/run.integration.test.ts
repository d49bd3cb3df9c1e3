import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createSamples } from '../../src/samples/create.js'
import { openSampleHost } from './sample-host.js'
import { testSamples } from './sample-suite.js'

const { PYTHON = '/usr/bin/python3' } = process.env

// One process runs all programs of a language: starting one takes longer than the calls.
testSamples({
  curl: {
    ending: '.sh',
    listCommands: (files) => [['sh', '-c', 'for file; do sh "$file"; done', 'sh', ...files]],
    repeat: (code) => `${code}\n${code}\n`,
  },
  javascript: {
    ending: '.mjs',
    listCommands: (files) => [
      [
        process.execPath,
        '--input-type=module',
        '-e',
        'for (const file of process.argv.slice(1)) await import(`${process.cwd()}/${file}`)',
        ...files,
      ],
    ],
    repeat: (code) => `${code}\nawait callApi()\n`,
  },
  python: {
    ending: '.py',
    listCommands: (files) => [
      [PYTHON, '-c', 'import runpy, sys\nfor file in sys.argv[1:]: runpy.run_path(file)', ...files],
    ],
    repeat: (code) => `${code}\ncall_api()\n`,
  },
})

describe('a sample in curl', () => {
  it('gets another access token for another client', async () => {
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
    expect(host.tokens['orders']).toBe(3)
  })
})
