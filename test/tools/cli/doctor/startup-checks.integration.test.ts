import { describe, expect, it, vi } from 'vitest'
import { isVersionInRange } from '../../../../src/tools/cli/doctor/startup-checks.js'
import { audit } from '../../../stores/suite/records.js'
import { createSite, runInProcess, config } from '../command-line.js'
import { findProblems, runDoctor, useDoctorSite } from './doctor-site.js'

const { getFile, switchTo, withStore, writeConfig } = useDoctorSite()

describe('the doctor reports', () => {
  it('a version of Node that is not supported', async () => {
    const { code, stdout } = await runInProcess(['doctor', '--db', getFile()], {
      engines: { node: '^1.2.3 || >=99.0.0' },
    })
    expect(code).toBe(3)
    expect(stdout).toContain('is not supported; these are: ^1.2.3 || >=99.0.0.')
  })

  it('a secret that is not the one of the store', async () => {
    vi.stubEnv('CLI_SECRET', 'another secret of 32 characters or more')
    expect(await findProblems('options', ...config)).toMatchObject([
      {
        finding: 'secret is not the one that the store was written with.',
        fix: expect.stringContaining('To change it give both'),
      },
    ])
  })

  it('signing keys that the platform did not write', async () => {
    await withStore(async (store) => {
      const [genuine] = await store.listSigningKeys()
      await store.addSigningKey({ ...genuine!, kid: 'forged', sealedPrivateJwk: 'plain:{}' }, genuine!.kid, audit())
    })
    expect(await findProblems('options', ...config)).toMatchObject([
      { finding: expect.stringMatching(/^Signing keys in the store are ignored, .*: forged\.$/) },
    ])
  })

  it('unencrypted values in a store whose options have a secret', async () => {
    await switchTo(await createSite(undefined, { secret: undefined }))
    expect(await findProblems('options', ...config)).toMatchObject([
      { finding: expect.stringContaining('secret is set, and the store has unencrypted values') },
    ])
  })

  it('options that no platform starts with', async () => {
    vi.stubEnv('CLI_BASE_URL', 'api.example.com')
    expect(await findProblems('options', ...config)).toMatchObject([{ finding: 'baseUrl is "api.example.com".' }])
  })

  it('http and a memory store, in production', async () => {
    vi.stubEnv('CLI_BASE_URL', 'http://api.example.invalid')
    const { findings } = await runDoctor(...config)
    expect(findings.filter(({ level }) => level === 'problem')).toEqual([])
    vi.stubEnv('NODE_ENV', 'production')
    expect(await findProblems('options', ...config)).toMatchObject([{ fix: 'Use https in production.' }])
    vi.stubEnv('CLI_FILE', '')
    expect(await findProblems('options', ...config)).toMatchObject([{}, { finding: 'store is missing.' }])
    const memory = await writeConfig(
      `export default () => ({ ...base(), store: new Proxy({ kind: 'memory' }, { get: (target, name) => target[name] }) })`,
    )
    expect(await findProblems('memory store', ...memory)).toHaveLength(1)
  })
})

it.each([
  ['20.19.0', true],
  ['20.18.3', false],
  ['21.7.3', false],
  ['22.11.0', false],
  ['22.12.0', true],
  ['23.9.0', false],
  ['24.0.0', true],
  ['26.1.0', true],
])('compares Node %s with the supported versions', (version, supported) => {
  expect(isVersionInRange(version, '^20.19.0 || ^22.12.0 || >=24.0.0')).toBe(supported)
})
