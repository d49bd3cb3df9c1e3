import { describe, expect, it, vi } from 'vitest'
import type { Application } from '../../src/index.js'
import { CONFIG, core, json, emailsIn, site, siteForAll } from './command-line.js'

const SECRET = /^epa_sec_[A-Za-z0-9]{49}$/

const here = siteForAll()
const db = (): readonly string[] => ['--db', here.file]
const config = ['--config', CONFIG] as const

async function create(name = 'Shop', ...more: readonly string[]): Promise<Application> {
  const args = ['apps', 'create', '--name', name, '--api', 'orders', '--api', 'catalog', ...more]
  return (await json([...args, ...config])).application
}

describe('apps allow and rotate', () => {
  it('allows an API, and tells where a secret is wanted', async () => {
    const { application } = await json(['apps', 'create', '--name', 'Reader', '--api', 'catalog', ...config])
    const { stdout } = await core(['apps', 'allow', application.id, 'orders', '--scope', 'orders:read', ...config])
    expect(stdout).toBe(
      `"Reader" (${application.id}) may use orders with orders:read.\nIt has no secret yet, which orders asks for: express-platform-auth apps rotate-secret ${application.id}\n`,
    )
    const rotated = await json(['apps', 'rotate-secret', application.id, ...config])
    expect(rotated.credentials).toEqual({ clientSecret: expect.stringMatching(SECRET) as string })
    const all = await core(['apps', 'allow', application.id, 'orders', ...config])
    expect(all.stdout).toBe(`"Reader" (${application.id}) may use orders with orders:read orders:write.\n`)
  })

  it('shows a new credential once, and until when the former one works', async () => {
    const { id } = await create()
    const { stdout, stderr } = await core(['apps', 'rotate-key', id, '--overlap', '60', ...config])
    expect(stderr).toBe('')
    expect(stdout).toMatch(
      / has a new key\.\n\n {2}client_id {2}epa_key_\w{34}\n\nShown this once: .* The former one works until .*Z\.\n$/,
    )
    expect((await core(['apps', 'show', id, ...db()])).stdout).toMatch(/keys {5}epa_key_.*\n {9}epa_key_.*, ends \d{4}/)
    const ended = await core(['apps', 'rotate-secret', id, '--overlap', '0', ...config])
    expect(ended.stdout).not.toContain('former')
    expect((await json(['apps', 'show', id, ...db()])).application.secrets).toHaveLength(1)
  })

  it('mails it instead', async () => {
    const { id } = await create('Mailed', '--contact', 'mailed@shop.example')
    const { stdout } = await core(['apps', 'rotate-secret', id, '--mail', ...config])
    expect(stdout).toBe(`"Mailed" (${id}) gets a new secret by e-mail.\nThe mail server has accepted its email.\n`)
    const emails = await emailsIn(here.emails)
    expect(emails.find(({ to }) => to === 'mailed@shop.example')?.text).toMatch(/epa_sec_\w{49}/)
  })

  it('mails nothing where there is no contact, and says how to set one', async () => {
    const { id } = await create()
    const { code, stderr } = await core(['apps', 'rotate-key', id, '--mail', ...config])
    expect(code).toBe(1)
    expect(stderr).toContain(`express-platform-auth apps update ${id} --contact ADDRESS`)
  })
})

describe('signing-keys', () => {
  it('are listed, rotated and revoked', async () => {
    const keys = await site()
    vi.stubEnv('CLI_FILE', keys.file)
    const where = ['--db', keys.file]
    expect((await core(['signing-keys', 'list', ...where])).stdout).toMatch(
      /^KID +ALGORITHM +STATE .*\n\S{43} {2}ES256 {6}current .* -\n$/,
    )
    const published = await core(['signing-keys', 'rotate', '--by', 'alice', ...config])
    expect(published.stdout).toMatch(/^The signing key \S{43} is published, and signs from .*Z\.\n$/)
    const { signingKey } = await json(['signing-keys', 'rotate', '--immediately', ...config])
    expect(signingKey.state).toBe('current')
    const { signingKeys } = await json(['signing-keys', 'list', ...where])
    const former = signingKeys.find(({ state }) => state === 'former')!
    expect((await core(['signing-keys', 'revoke', former.kid, ...config])).stdout).toContain(
      `Revoked the signing key ${former.kid}`,
    )
    const again = await core(['signing-keys', 'revoke', former.kid, ...config])
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('express-platform-auth keys list') })
    const { records } = await json(['audit', ...where])
    expect(records.map(({ type, by }) => [type, by])).toContainEqual(['signingKey.rotated', 'alice'])
    await keys.remove()
  })
})
