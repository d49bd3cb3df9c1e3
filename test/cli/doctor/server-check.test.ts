import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, vi } from 'vitest'
import { CONFIG } from '../command-line.js'
import { examine, practice, problemsOf } from './practice.js'

const { inStore, atTheEnd } = practice()
const config = ['--config', CONFIG] as const

describe('the doctor asks the server at baseUrl, and finds', () => {
  async function answering(listener: RequestListener): Promise<void> {
    const server = createServer(listener).listen(0, '127.0.0.1')
    await new Promise((listening) => server.once('listening', listening))
    atTheEnd(() => server.close())
    vi.stubEnv('CLI_BASE_URL', `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`)
  }

  /** The key set as a server on this store answers it. */
  async function keySet(): Promise<string> {
    const records = await inStore((store) => store.listSigningKeys())
    return JSON.stringify({ keys: records.map(({ publicJwk }) => publicJwk) })
  }

  it('nothing, where it has the keys of the store', async () => {
    const body = await keySet()
    const paths: (string | undefined)[] = []
    await answering((req, res) => {
      paths.push(req.url)
      res.end(body)
    })
    expect(await examine(...config)).toMatchObject({ problems: 0 })
    expect(paths).toEqual(['/v1/.well-known/jwks.json'])
  })

  it('nobody, which is a problem in production', async () => {
    vi.stubEnv('CLI_BASE_URL', 'http://127.0.0.1:1')
    const { findings } = await examine(...config)
    expect(findings).toMatchObject([
      { level: 'note', finding: expect.stringContaining('No server answers at http://127.0.0.1:1/.well-known') },
    ])
    vi.stubEnv('NODE_ENV', 'production')
    expect(await problemsOf('the server at baseUrl', ...config)).toHaveLength(1)
  })

  it('a router that is mounted elsewhere', async () => {
    await answering((_req, res) => res.writeHead(404).end())
    expect(await problemsOf('the server at baseUrl', ...config)).toMatchObject([
      { finding: expect.stringContaining('answers 404'), cure: expect.stringContaining('Mount auth.router') },
    ])
    await answering((_req, res) => res.writeHead(302, { Location: 'https://login.example.invalid' }).end())
    expect(await problemsOf('the server at baseUrl', ...config)).toMatchObject([
      { finding: expect.stringContaining('answers 302') },
    ])
    await answering((_req, res) => res.end('<!doctype html>'))
    expect(await problemsOf('the server at baseUrl', ...config)).toHaveLength(1)
  })

  it('another store', async () => {
    await answering((_req, res) => res.end('{"keys":[{"kid":"another"}]}'))
    expect(await problemsOf('the server at baseUrl', ...config)).toMatchObject([
      { finding: expect.stringContaining('other signing keys than the store') },
    ])
  })

  it('a clock that goes otherwise, caches between taken into account', async () => {
    const body = await keySet()
    const at = (age: number, headers: Record<string, string> = {}) =>
      answering((_req, res) =>
        res.writeHead(200, { Date: new Date(Date.now() - age).toUTCString(), ...headers }).end(body),
      )
    await at(90_000)
    expect(await problemsOf('the server at baseUrl', ...config)).toMatchObject([
      { finding: expect.stringMatching(/seconds behind this machine's/) },
    ])
    await at(90_000, { Age: '90' })
    expect(await problemsOf('the server at baseUrl', ...config)).toEqual([])
  })

  it('a proxy in front, whose "trust proxy" it can not see and says so', async () => {
    const body = await keySet()
    await answering((_req, res) => res.writeHead(200, { Server: 'nginx' }).end(body))
    const { findings, code } = await examine(...config)
    expect(code).toBe(0)
    expect(findings).toMatchObject([
      {
        level: 'note',
        finding: expect.stringContaining('behind a proxy (nginx). Whether "trust proxy" is set can\'t be seen'),
      },
    ])
  })
})
