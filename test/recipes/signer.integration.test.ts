import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { createPublicKey, type KeyObject } from 'node:crypto'
import { stat, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import * as nodeCrypto from 'node:crypto'
import * as nodeFs from 'node:fs'
import express from 'express'
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose'
import { afterEach, describe, expect, it } from 'vitest'
import { createTemporaryFolder } from '../support/temporary-folder.js'
import type { PlatformAuthOptions } from '../../src/index.js'
import { createVaultKey, signWith, type Signer } from '../core/tokens/vault.js'
import { fetchKeySet } from '../core/tokens/signer.js'
import { blocksOf, readPage } from '../docs/pages.js'
import { accessToken, createApplication, createTokenForm, post } from '../support/http.js'
import { openPlatform, type TestPlatform } from '../support/platform.js'
import { killProcess } from '../support/kill-process.js'
import { waitUntil } from '../support/wait-until.js'
import { runBlock } from './run-block.js'

const PAGE = 'docs/recipes/signer.md'
/** The files that the page links to. */
const PROGRAM = new URL('../../docs/recipes/signer.mjs', import.meta.url)
const CLIENT = new URL('../../docs/recipes/socket-signer.mjs', import.meta.url)
const run = promisify(execFile)

const cleanUps: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp()
})

/** Signs a token with the platform that has this signer, and verifies it as a service elsewhere does. */
async function expectToSign(signer: Signer | undefined): Promise<void> {
  expect(signer).toBeDefined()
  const { auth } = openPlatform({ tokens: { signer } })
  cleanUps.push(() => auth.close())
  const app = express().use(auth.router)
  const token = await accessToken(app, 'orders', await createApplication(auth, ['orders']))
  expect(decodeProtectedHeader(token)).toEqual({ alg: 'ES256', kid: '2026-11', typ: 'at+jwt' })
  await jwtVerify(token, createLocalJWKSet(await fetchKeySet(app)))
  await auth.verifyAccessToken('orders', token)
  expect((await auth.health()).problems).toEqual([])
}

describe(`${PAGE}: a process of its own`, () => {
  let folder: string
  let signer: ChildProcess
  /** The page's commands for a new key, with another name. */
  const createKey = async (kid: string): Promise<void> => {
    const commands = blocksOf(readPage(PAGE))
      .find(({ language }) => language === 'sh')!
      .code.split('\n')
    const script = commands
      .filter((line) => !line.startsWith('node '))
      .join('\n')
      .replace('2026-11', kid)
    await run('sh', ['-e', '-c', script], { cwd: folder })
  }
  async function start(): Promise<void> {
    const command = blocksOf(readPage(PAGE))
      .find(({ language }) => language === 'sh')!
      .code.match(/^node (.*)$/m)![1]!
    const [, socket, keys] = command.split(' ')
    expect([socket, keys]).toEqual(['/run/signer/keys.sock', 'keys'])
    signer = spawn(process.execPath, [PROGRAM.pathname, join(folder, 'keys.sock'), keys!], { cwd: folder })
    let output = ''
    signer.stdout!.on('data', (data) => (output += String(data)))
    await waitUntil(() => output.includes('Signing at'))
  }

  it('signs, is rotated and revoked by its files, may be away, and is closed to other users', async () => {
    folder = await createTemporaryFolder()
    await createKey('2026-11')
    await start()
    cleanUps.push(() => killProcess(signer))
    expect((await stat(join(folder, 'keys.sock'))).mode & 0o777).toBe(0o660)

    const { socketSigner } = (await import(CLIENT.href)) as { socketSigner(path: string): Signer }
    let clock: TestPlatform['clock'] | undefined
    const { auth } = (await runBlock(PAGE, 'A process of its own', {
      modules: {
        'express-platform-auth': {
          createPlatformAuth: (options: PlatformAuthOptions) => {
            const opened = openPlatform(options as Parameters<typeof openPlatform>[0])
            clock = opened.clock
            return opened.auth
          },
        },
        './socket-signer.mjs': { socketSigner: () => socketSigner(join(folder, 'keys.sock')) },
      },
    })) as { readonly auth: TestPlatform['auth'] }
    cleanUps.push(() => auth.close())
    const app = express().use(auth.router)
    const shop = await createApplication(auth, ['orders'])
    const token = (): Promise<string> => accessToken(app, 'orders', shop)
    const first = await token()
    expect(decodeProtectedHeader(first)).toEqual({ alg: 'ES256', kid: '2026-11', typ: 'at+jwt' })
    await Promise.all(Array.from({ length: 20 }, token))

    await createKey('2026-12')
    await auth.signingKeys.list()
    clock!.advance(300)
    expect(decodeProtectedHeader(await token()).kid).toBe('2026-12')
    expect(await auth.verifyAccessToken('orders', first)).toBeDefined()

    await killProcess(signer)
    expect((await post(app, '/orders/token', createTokenForm(shop))).status).toBe(503)
    expect(await auth.verifyAccessToken('orders', first)).toBeDefined()
    await start()
    await token()

    await unlink(join(folder, 'keys/2026-11.pem'))
    await auth.signingKeys.list()
    await expect(auth.verifyAccessToken('orders', first)).rejects.toMatchObject({ code: 'invalid_token' })
    // A file that is no key is no empty list.
    await writeFile(join(folder, 'keys/2027-01.pem'), 'no key')
    const { items } = await auth.signingKeys.list()
    expect(items.map(({ kid }) => kid)).toEqual(['2026-12'])
  }, 120_000)
})

/** What each vault answers, in the formats of its SDK. */
describe(`${PAGE}: vaults`, () => {
  const key = createVaultKey('2026-11')
  const publicKey: KeyObject = createPublicKey(key.privateKey)
  const jwk = publicKey.export({ format: 'jwk' })
  /** ECDSA with a digest, which Node's `sign` makes itself. */
  const digests = new Map<string, Uint8Array>()
  const createHash = (name: string) => {
    const hash = nodeCrypto.createHash(name)
    let bytes: Uint8Array
    return {
      update(given: Uint8Array) {
        bytes = given
        hash.update(given)
        return this
      },
      digest() {
        const digest = hash.digest()
        digests.set(digest.toString('hex'), bytes)
        return digest
      },
    }
  }
  const signDigest = (digest: Uint8Array, isDer: boolean): Buffer =>
    signWith(key, digests.get(Buffer.from(digest).toString('hex'))!, isDer)
  const modules = { 'node:crypto': { ...nodeCrypto, createHash }, 'node:fs': nodeFs }
  const runPage = async (heading: string, sdk: Readonly<Record<string, unknown>>): Promise<Signer> =>
    (await runBlock(PAGE, heading, { modules: { ...modules, ...sdk } }))['signer'] as Signer

  it('AWS KMS: SPKI in DER, signatures of digests in DER', async () => {
    const KeyId = '1234abcd-12ab-34cd-56ef-1234567890ab'
    class GetPublicKeyCommand {
      readonly input: object
      constructor(input: object) {
        this.input = input
      }
    }
    class SignCommand {
      readonly input: { readonly Message: Uint8Array }
      constructor(input: { readonly Message: Uint8Array }) {
        this.input = input
      }
    }
    class KMSClient {
      async send(command: GetPublicKeyCommand | SignCommand, { abortSignal }: { readonly abortSignal: AbortSignal }) {
        expect(abortSignal).toBeInstanceOf(AbortSignal)
        if (command instanceof GetPublicKeyCommand) {
          expect(command.input).toEqual({ KeyId })
          return { PublicKey: new Uint8Array(publicKey.export({ format: 'der', type: 'spki' })) }
        }
        const expected = { KeyId, MessageType: 'DIGEST', SigningAlgorithm: 'ECDSA_SHA_256' }
        expect(command.input).toMatchObject(expected)
        return { Signature: new Uint8Array(signDigest(command.input.Message, true)) }
      }
    }
    await expectToSign(
      await runPage('AWS KMS', { '@aws-sdk/client-kms': { GetPublicKeyCommand, KMSClient, SignCommand } }),
    )
  })

  it('Google Cloud KMS: PEM, signatures of digests in DER', async () => {
    class KeyManagementServiceClient {
      cryptoKeyVersionPath = (...names: string[]): string => names.join('/')
      getPublicKey = async () => [{ pem: publicKey.export({ format: 'pem', type: 'spki' }) }]
      asymmetricSign = async ({ digest }: { readonly digest: { readonly sha256: Uint8Array } }) => [
        { signature: signDigest(digest.sha256, true) },
      ]
    }
    await expectToSign(await runPage('Google Cloud KMS', { '@google-cloud/kms': { KeyManagementServiceClient } }))
  })

  it('Azure Key Vault: numbers as bytes, signatures of digests as r || s', async () => {
    class KeyClient {
      async getKey(name: string, { version }: { readonly version: string }) {
        expect([name, version]).toEqual(['access-tokens', '9885aa558e8d448789683188f8c194b0'])
        return { key: { x: Buffer.from(jwk.x!, 'base64url'), y: Buffer.from(jwk.y!, 'base64url') } }
      }
    }
    class CryptographyClient {
      async sign(algorithm: string, digest: Uint8Array) {
        expect(algorithm).toBe('ES256')
        return { result: new Uint8Array(signDigest(digest, false)) }
      }
    }
    class DefaultAzureCredential {
      readonly scope = 'https://vault.azure.net/.default'
    }
    const sdk = {
      '@azure/keyvault-keys': { KeyClient, CryptographyClient },
      '@azure/identity': { DefaultAzureCredential },
    }
    await expectToSign(await runPage('Azure Key Vault', sdk))
  })

  it('PKCS#11: signatures of digests as r || s, one at a time', async () => {
    let running = 0
    class PKCS11 {
      load(): void {}
      C_Initialize(): void {}
      C_GetSlotList = () => [1]
      C_OpenSession = () => 2
      C_Login(): void {}
      C_FindObjectsInit(): void {}
      C_FindObjects = () => 3
      C_FindObjectsFinal(): void {}
      C_SignInit(): void {
        running += 1
        expect(running).toBe(1)
      }
      async C_SignAsync(_session: unknown, digest: Uint8Array) {
        await new Promise((resolve) => setImmediate(resolve))
        running -= 1
        return signDigest(digest, false)
      }
    }
    const readFileSync = (): unknown => publicKey.export({ format: 'pem', type: 'spki' })
    const signer = await runPage('PKCS#11', {
      pkcs11js: { default: { PKCS11 }, __esModule: true },
      'node:fs': { readFileSync },
    })
    await expectToSign(signer)
    const { signal } = new AbortController()
    await Promise.all([1, 2, 3].map((byte) => signer.sign('2026-11', Uint8Array.of(byte), { signal })))
  })
})
