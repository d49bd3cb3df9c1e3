import { afterEach, expect, it, vi } from 'vitest'
import { createSite, expectRefused, printed, runInProcess, runJson, config } from '../command-line.js'

afterEach(() => vi.unstubAllEnvs())

it('lists, rotates and revokes signing keys', async () => {
  const site = await createSite()
  vi.stubEnv('CLI_FILE', site.file)
  const db = ['--db', site.file]
  expect(await printed('signing-keys', 'list', ...db)).toMatch(
    /^KID +ALGORITHM +STATE .*\n\S{43} {2}ES256 {6}current .* -\n$/,
  )
  const published = await runInProcess(['signing-keys', 'rotate', '--by', 'alice', ...config])
  expect(published.stdout).toMatch(/^The signing key \S{43} is published, and signs from .*Z\.\n$/)
  const { signingKey } = await runJson(['signing-keys', 'rotate', '--immediately', ...config])
  expect(signingKey.state).toBe('current')
  const { items: signingKeys } = await runJson(['signing-keys', 'list', ...db])
  const former = signingKeys.find(({ state }) => state === 'former')!
  expect(await printed('signing-keys', 'revoke', former.kid, ...config)).toContain(
    `Revoked the signing key ${former.kid}`,
  )
  await expectRefused(['signing-keys', 'revoke', former.kid, ...config], 1, 'express-platform-auth signing-keys list')
  const { items: entries } = await runJson(['audit', ...db])
  expect(entries.map(({ type, by }) => [type, by])).toContainEqual(['signingKey.rotated', 'alice'])
})
