import { generateKeyPairSync } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { createTemporaryFolder } from '../../../support/temporary-folder.js'
import { createApplication, expectRefused, printed, runInProcess, runJson, useSite, config } from '../command-line.js'

const SECRET = /^epa_sec_[A-Za-z0-9]{49}$/

const site = useSite()

it('apps allow allows an API, and says if the application needs a secret for it', async () => {
  const { id } = await createApplication({ name: 'Reader', apis: ['catalog'] })
  const { stdout } = await runInProcess(['apps', 'allow', id, 'orders', '--scope', 'orders:read', ...config])
  expect(stdout).toBe(
    `"Reader" (${id}) may use orders with orders:read.\nIt has no secret yet, and orders needs one: express-platform-auth apps rotate-secret ${id}\n`,
  )
  vi.stubEnv('CLI_PROOFS', 'true')
  const { stdout: proofs } = await runInProcess(['apps', 'allow', id, 'payments', ...config])
  expect(proofs).toContain(
    `It has no key set yet, and payments needs one: express-platform-auth apps add-key-set ${id}`,
  )
  vi.stubEnv('CLI_PROOFS', '')
  const rotated = await runJson(['apps', 'rotate-secret', id, ...config])
  expect(rotated.credentials).toEqual({ clientSecret: expect.stringMatching(SECRET) as string })
  const all = await runInProcess(['apps', 'allow', id, 'orders', ...config])
  expect(all.stdout).toBe(`"Reader" (${id}) may use orders with orders:read orders:write.\n`)
})

describe('apps add-key, add-secret, update-credential and end-credential', () => {
  it('add a named credential, show it, change it, rotate it and end it', async () => {
    const { id } = await createApplication()
    const add = ['apps', 'add-secret', id, '--name', 'reports']
    const terms = ['--expires', '2999-01-31', '--api', 'orders=orders:read']
    const { stdout } = await runInProcess([...add, ...terms, ...config])
    expect(stdout).toMatch(
      /^"Shop" \(app_\w{32}\) has a new secret "reports" \(cred_\w{22}\)\.\n\n {2}client_secret {2}epa_sec_\w{49}\n\nShown this once/,
    )
    const credentialId = /cred_\w{22}/.exec(stdout)![0]
    const shown = await runInProcess(['apps', 'show', id, ...site.db()])
    expect(shown.stdout).toMatch(
      new RegExp(`${credentialId} reports, epa_sec_.*, expires 2999-01-31 00:00:00Z, only orders orders:read\n`),
    )
    expect(shown.stdout).toMatch(/cred_\w{22} default, epa_sec_/)

    await expectRefused(['apps', 'rotate-secret', id, ...config], 1, `${credentialId} (reports)`)
    const rotate = ['apps', 'rotate-secret', id, '--credential', credentialId, '--overlap', '0', ...config]
    const rotated = await runJson(rotate)
    expect(rotated.application.secrets.map(({ name }) => name)).toEqual(['reports', 'default'])

    const [newest] = rotated.application.secrets
    const update = ['apps', 'update-credential', id, newest!.id, '--name', 'yearly reports', '--expires', 'never']
    expect(await printed(...update, ...site.db())).toBe(`Updated the secret "yearly reports" (${newest!.id}).\n`)
    const ended = await runInProcess(['apps', 'end-credential', id, newest!.id, ...site.db(), '--by', 'ann'])
    expect(ended.stdout).toBe(`Ended the secret "yearly reports" (${newest!.id}). Servers refuse it within a second.\n`)
    const { items } = await runJson(['audit', id, ...site.db()])
    expect(items.map(({ type }) => type.replace('application.', ''))).toEqual([
      'registered',
      'credentialAdded',
      'credentialRotated',
      'credentialUpdated',
      'credentialEnded',
    ])
  })

  it.each(['tomorrow', '2027-02-30T00:00', '2027-13-01', '31.01.2027', '1'])('refuse --expires %s', async (time) => {
    await expectRefused(
      ['apps', 'add-key', 'app_x', '--name', 'n', '--expires', time, ...config],
      1,
      `--expires ${time} is no date, such as 2027-01-31`,
    )
  })
})

it('apps create --jwks or --jwks-uri, add-key-set, replace-key-set, reload-key-set and end-credential work on key sets', async () => {
  const folder = await createTemporaryFolder()
  const [publicKeys, privateKeys, noJson] = ['public', 'private', 'none'].map((name) => join(folder, `${name}.json`))
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { d, ...jwk } = privateKey.export({ format: 'jwk' })
  await writeFile(publicKeys!, JSON.stringify({ keys: [{ ...jwk, kid: 'one' }] }))
  await writeFile(privateKeys!, JSON.stringify({ keys: [{ ...jwk, d }] }))
  await writeFile(noJson!, `secret ${d!}`)
  const create = ['apps', 'create', '--name', 'Bank', '--api', 'orders', ...config]
  for (const [file, problem] of [
    [privateKeys!, 'jwks has a private key (member d): publish public keys only.'],
    [noJson!, 'jwks is no JWK Set: { "keys": [...] }, and no public key in PEM.'],
    [join(folder, 'missing'), 'could not be read'],
  ] as const) {
    const { code, stderr } = await runInProcess([...create, '--jwks', file])
    expect([code, stderr]).toEqual([1, expect.stringContaining(problem)])
    expect(stderr).not.toContain(d)
  }

  const { application, credentials } = await runJson([...create, '--jwks', publicKeys!])
  expect(credentials).toEqual({ clientId: expect.stringMatching(/^epa_key_/) as string })
  const { id } = application
  const [first] = application.secrets
  const shown = await runInProcess(['apps', 'show', id, ...site.db()])
  expect(shown.stdout).toContain(`${first!.id} default, key set: P-256, kid one, SHA-256 `)
  await expectRefused(['apps', 'rotate-secret', id, ...config], 1, 'is a key set, which has no secret')

  const uri = ['--jwks-uri', 'https://bank.example/jwks.json']
  const added = await runInProcess(['apps', 'add-key-set', id, '--name', 'second', ...uri, ...config])
  const [second] = /cred_\w{22}/.exec(added.stdout)!
  expect(added.stdout).toBe(`"Bank" (${id}) has a new key set "second" (${second}).\n`)
  const reloaded = await runInProcess(['apps', 'reload-key-set', id, second, ...site.db()])
  expect(reloaded.stdout).toBe(`Servers read the key set "second" (${second}) again for its next request.\n`)
  const replaced = await runInProcess(['apps', 'replace-key-set', id, second, '--jwks', publicKeys!, ...site.db()])
  expect(replaced.stdout).toBe(`Replaced the keys of the key set "second" (${second}).\n`)
  await expectRefused(['apps', 'reload-key-set', id, second, ...site.db()], 1, 'not an address that can be read again')
  const ended = await runInProcess(['apps', 'end-credential', id, second, ...site.db()])
  expect(ended.stdout).toBe(`Ended the key set "second" (${second}). Servers refuse it within a second.\n`)
  const { application: other } = await runJson([...create, ...uri])
  expect(other.secrets).toMatchObject([{ keySet: { jwksUri: 'https://bank.example/jwks.json' } }])
})

it('apps create, add-key, rotate-key, rotate-secret and recover print the end of each credential that they show', async () => {
  const show = async (...args: string[]) => {
    const { code, stdout, stderr } = await runInProcess(['apps', ...args, ...config])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const { keys, secrets } = (await runJson(['apps', 'show', /app_\w{32}/.exec(stdout)![0], ...site.db()])).application
    const format = (time: unknown) => `${(time as string).slice(0, 19).replace('T', ' ')}Z`
    return { stdout, key: () => format(keys[0]!.expiresAt), secret: () => format(secrets[0]!.expiresAt), keys, secrets }
  }
  vi.stubEnv('CLI_KEY_AGE', '30')
  const created = await show('create', '--name', 'Shop', '--api', 'orders', '--api', 'catalog')
  expect(created.stdout).toMatch(new RegExp(` The key expires at ${created.key()}\\.\n$`))
  expect(created.secrets[0]!.expiresAt).toBeUndefined()
  const id = /app_\w{32}/.exec(created.stdout)![0]
  const added = await show('add-key', id, '--name', 'more')
  expect(added.stdout).toMatch(new RegExp(` It expires at ${added.key()}\\.\n$`))
  const [key, secret] = [created.keys[0]!.id, created.secrets[0]!.id]
  await runJson(['apps', 'update-credential', id, secret, '--expires', '2999-01-31', ...site.db()])
  const rotated = await show('rotate-key', id, '--credential', key, '--overlap', '0')
  expect(rotated.stdout).toMatch(new RegExp(` It expires at ${rotated.key()}\\.\n$`))
  const second = await show('rotate-secret', id, '--overlap', '0')
  expect(second.secret()).toBe('2999-01-31 00:00:00Z')
  expect(second.stdout).toMatch(/ It expires at 2999-01-31 00:00:00Z\.\n$/)
  const recover = ['recover', id, '--contact', 'new@customer.example']
  const recovered = await show(...recover)
  expect(recovered.secret()).toBe('2999-01-31 00:00:00Z')
  expect(recovered.stdout).toMatch(
    new RegExp(` The key expires at ${recovered.key()}\\. The secret expires at 2999-01-31 00:00:00Z\\.\n$`),
  )
  await runJson(['apps', 'update-credential', id, recovered.secrets[0]!.id, '--expires', 'never', ...site.db()])
  vi.stubEnv('CLI_KEY_AGE', '')
  expect((await show(...recover)).stdout).toMatch(/hashes are kept\.\n$/)
})

describe('apps rotate-key and rotate-secret', () => {
  it('show a new credential once, and until when the former one works', async () => {
    const { id } = await createApplication()
    const { stdout, stderr } = await runInProcess(['apps', 'rotate-key', id, '--overlap', '60', ...config])
    expect(stderr).toBe('')
    expect(stdout).toMatch(
      / has a new key\.\n\n {2}client_id {2}epa_key_\w{34}\n\nShown this once: .* The former one works until .*Z\.\n$/,
    )
    expect(await printed('apps', 'show', id, ...site.db())).toMatch(
      /keys {6}cred_.* epa_key_.*\n {10}cred_.* epa_key_.*, expires \d{4}/,
    )
    // The former one, with an overlap of a minute, is the only one now.
    const [newest] = (await runJson(['apps', 'show', id, ...site.db()])).application.keys
    await runJson(['apps', 'end-credential', id, newest!.id, ...site.db()])
    const again = await runInProcess(['apps', 'rotate-key', id, '--overlap', '0', ...config])
    expect(again.stdout).toMatch(/ It expires at \d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ\.\n$/)
    const ended = await runInProcess(['apps', 'rotate-secret', id, '--overlap', '0', ...config])
    expect(ended.stdout).not.toContain('former')
    expect((await runJson(['apps', 'show', id, ...site.db()])).application.secrets).toHaveLength(1)
  })

  it('end access tokens with --revoke-tokens, as apps suspend does', async () => {
    const { id } = await createApplication({ name: 'Leaked' })
    await runJson(['apps', 'rotate-secret', id, '--overlap', '0', '--revoke-tokens', ...config])
    await runJson(['apps', 'rotate-key', id, ...config])
    await runJson(['apps', 'suspend', id, '--revoke-tokens', ...site.db()])
    const { items } = await runJson(['audit', id, ...site.db()])
    expect(items.slice(1).map(({ details }) => details['tokensRevoked'])).toEqual([true, undefined, true])
  })

  it('send nothing if there is no contact, and say how to set one', async () => {
    const { id } = await createApplication()
    await expectRefused(
      ['apps', 'rotate-key', id, '--mail', ...config],
      1,
      `express-platform-auth apps update ${id} --contact ADDRESS`,
    )
  })
})
