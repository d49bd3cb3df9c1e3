import { get, type RequestListener } from 'node:http'
import express from 'express'
import { describe, expect, it, vi } from 'vitest'
import { useServer } from '../../../support/http.js'
import { sqliteStore } from '../../../../src/stores/sqlite/index.js'
import { APIS, usePlatform } from '../../../support/platform.js'
import { config, printed } from '../command-line.js'
import { findProblems, runDoctor, useDoctorSite } from './doctor-site.js'

const { getFile, withStore } = useDoctorSite()
const CHECK = 'the server at baseUrl'

describe('the doctor requests the key set at baseUrl, and reports', () => {
  /** Starts a server, and makes its address the `baseUrl` of `platform.mjs`. */
  async function startServer(listener: RequestListener): Promise<void> {
    vi.stubEnv('CLI_BASE_URL', `${(await useServer(listener)).url}/v1`)
  }

  /** The key set that a server on this store serves. */
  async function readKeySet(): Promise<string> {
    const records = await withStore((store) => store.listSigningKeys())
    return JSON.stringify({ keys: records.map(({ publicJwk }) => publicJwk) })
  }

  it('nothing if it is the key set of the store', async () => {
    const body = await readKeySet()
    const paths: (string | undefined)[] = []
    await startServer((req, res) => {
      paths.push(req.url)
      res.end(body)
    })
    expect(await runDoctor(...config)).toMatchObject({ problems: 0 })
    expect(paths[0]).toBe('/v1/.well-known/jwks.json')
  })

  it('that no server answers: a note, and in production a problem', async () => {
    vi.stubEnv('CLI_BASE_URL', 'http://127.0.0.1:1')
    const { findings } = await runDoctor(...config)
    expect(findings).toMatchObject([
      { level: 'note', finding: expect.stringContaining('No server answers at http://127.0.0.1:1/.well-known') },
    ])
    vi.stubEnv('NODE_ENV', 'production')
    expect(await findProblems(CHECK, ...config)).toHaveLength(1)
  })

  it('a router that is mounted at another path', async () => {
    await startServer((_req, res) => res.writeHead(404).end())
    expect(await findProblems(CHECK, ...config)).toMatchObject([
      { finding: expect.stringContaining('answers 404'), fix: expect.stringContaining('Mount auth.router') },
    ])
    await startServer((_req, res) => res.writeHead(302, { Location: 'https://login.example.invalid' }).end())
    expect(await findProblems(CHECK, ...config)).toMatchObject([{ finding: expect.stringContaining('answers 302') }])
    await startServer((_req, res) => res.end('<!doctype html>'))
    expect(await findProblems(CHECK, ...config)).toHaveLength(1)
  })

  it('a server on another store', async () => {
    await startServer((_req, res) => res.end('{"keys":[{"kid":"another"}]}'))
    expect(await findProblems(CHECK, ...config)).toMatchObject([
      { finding: expect.stringContaining('other signing keys than the store') },
    ])
  })

  it('a clock that differs, unless the response is as old as a cache says', async () => {
    const body = await readKeySet()
    const answerWithAge = (age: number, headers: Record<string, string> = {}) =>
      startServer((_req, res) =>
        res.writeHead(200, { Date: new Date(Date.now() - age).toUTCString(), ...headers }).end(body),
      )
    await answerWithAge(90_000)
    expect(await findProblems(CHECK, ...config)).toMatchObject([
      { finding: expect.stringMatching(/seconds behind this machine's/) },
    ])
    await answerWithAge(90_000, { Age: '90' })
    expect(await findProblems(CHECK, ...config)).toEqual([])
  })

  it('"trust proxy" that does not fit the proxies in front', async () => {
    const app = express()
    const { auth } = usePlatform({ baseUrl: 'http://localhost:3000', apis: APIS, store: sqliteStore(getFile()) })
    await auth.ready()
    app.use('/v1', auth.router)
    const { port } = await useServer(app)
    /** Forwards to the app, and adds the caller to X-Forwarded-For as nginx does. */
    await startServer((req, res) => {
      const forwarded = [req.headers['x-forwarded-for'], req.socket.remoteAddress].filter(Boolean).join(', ')
      const options = { path: req.url, headers: { ...req.headers, 'x-forwarded-for': forwarded } }
      get({ port, ...options }, (answer) => {
        res.writeHead(answer.statusCode!, answer.headers)
        answer.pipe(res)
      })
    })
    const fix = "app.set('trust proxy', 1)"
    expect(await findProblems(CHECK, ...config)).toMatchObject([
      { finding: expect.stringContaining('The server takes the address of a proxy for its callers'), fix },
    ])
    for (const hops of [2, true]) {
      app.set('trust proxy', hops)
      expect(await findProblems(CHECK, ...config)).toMatchObject([
        { finding: expect.stringContaining('Callers can choose the address that rate limits count'), fix },
      ])
    }
    app.set('trust proxy', 1)
    expect(await findProblems(CHECK, ...config)).toEqual([])
  })

  it('a proxy in front of a server that does not say how it uses X-Forwarded-For, without control characters', async () => {
    const body = await readKeySet()
    // U+009B starts a terminal's escape sequence (ECMA-48 8.3.16).
    await startServer((_req, res) => res.writeHead(200, { Server: 'nginx\u009B31m' }).end(body))
    const { findings, code } = await runDoctor(...config)
    expect({ code, findings }).toMatchObject({ code: 0, findings: [{ level: 'note' }] })
    const stdout = await printed('doctor', ...config)
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
      'proxy in front of the server (nginx\u{FFFD}31m). The server does not say whether "trust proxy" is set',
    )
    // oxlint-disable-next-line no-control-regex
    expect(stdout).not.toMatch(/[\x00-\x09\x0B-\x1F\x7F-\x9F]/)
  })
})
