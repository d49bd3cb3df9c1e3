import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { copyBuild } from '../package/packed.js'
import { freePort } from '../support/free-port.js'
import { IS_LONG_LANE } from '../support/long-lane.js'
import { LOGIN, readMail, startMailServer } from '../support/smtp.js'
import { waitUntil } from '../support/wait-until.js'
import { blocksOf, readPage } from './pages.js'

/** Walks README.md as a newcomer does: each block is what stands there, but for the port. */
const README = readPage('README.md')
const [firstServer] = blocksOf(README).filter(({ marker }) => marker === 'file: example-app/minimal.js')
const fileName = /Save it as `([\w.]+)` in an empty folder/.exec(README.text)?.[1] ?? 'README names no file'

const execute = promisify(execFile)

const installable = await copyBuild()
const cwd = await installable.consumer({ type: 'module', packages: [], programs: [] })
await rm(join(cwd, 'package.json'))
await execute('npm', ['init', '-y', '--offline'], { cwd })
/** What `npm init` has written. */
const manifest = JSON.parse(await readFile(join(cwd, 'package.json'), 'utf8')) as object
afterAll(() => installable?.remove())

describe.each(['commonjs', 'module'] as const)(
  'README.md in an empty folder, where npm init has written the type %s',
  (type) => {
    let folder: string
    let port: number
    let server: ChildProcess | undefined

    beforeAll(async () => {
      port = await freePort()
      folder = await installable.consumer({
        type,
        packages: ['express', 'jose', 'nodemailer', '@photostructure/sqlite'],
        programs: [],
      })
      // Which type npm writes depends on its version: none, or "commonjs" since version 11.
      await writeFile(join(folder, 'package.json'), JSON.stringify({ ...manifest, type }))
    })
    afterEach(async () => {
      if (server && server.exitCode === null && server.kill()) await once(server, 'exit')
      server = undefined
    })

    /** Starts a server, and resolves when it answers: a function that returns what it has printed. */
    async function start(code: string, env: Readonly<Record<string, string>> = {}): Promise<() => string> {
      await writeFile(join(folder, fileName), code.replaceAll('3000', String(port)))
      const child = spawn(process.execPath, [fileName], { cwd: folder, env: { PATH: process.env['PATH'], ...env } })
      server = child
      let printed = ''
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (text: string) => void (printed += text))
      await waitUntil(async () => {
        if (child.exitCode !== null) throw new Error(`The server ended. It printed: ${printed}`)
        return fetch(`http://localhost:${port}/`).then(
          () => true,
          () => false,
        )
      })
      return () => printed
    }

    it('"A complete server": it starts, and the commands of "Calling an API" work with what it prints', async () => {
      const printed = await start(firstServer!.code)
      const form = /clientId: '(\S+)',\s+clientSecret: '(\S+)'/
      await waitUntil(() => form.test(printed()))
      const [, key = '', secret = ''] = form.exec(printed()) ?? []
      const [commands] = blocksOf(README).filter(({ code }) => code.includes('$KEY:$SECRET'))
      const [tokenLine = '', ...calls] = commands!.code.split('\n').filter((line) => line.startsWith('curl'))
      const run = async (line: string, env = {}): Promise<string> =>
        (
          await execute('sh', ['-c', line.replaceAll('3000', String(port))], {
            env: { PATH: process.env['PATH'], ...env },
          })
        ).stdout
      const answer = JSON.parse(await run(tokenLine, { KEY: key, SECRET: secret })) as Record<string, string>
      expect(answer).toMatchObject({ token_type: 'bearer', scope: 'orders:read' })
      const answers = []
      for (const call of calls)
        answers.push(JSON.parse(await run(call, { KEY: key, ACCESS_TOKEN: answer['access_token'] })))
      expect(answers).toEqual([{ for: 'Acme' }, ['tea', 'coffee']])
      for (const path of ['orders/items', 'catalog/items'])
        expect((await fetch(`http://localhost:${port}/${path}`)).status).toBe(401)
      expect(firstServer!.code.trimEnd().split('\n')).toHaveLength(12)
    })

    // What follows does not depend on the type: the file is a module by its name.
    const isTried = type === 'module' || IS_LONG_LANE
    it.for(isTried ? ['"Registration"'] : [])(
      '%s: a partner registers, an operator approves by e-mail, and the credentials work',
      async () => {
        const mailServer = await startMailServer()
        onTestFinished(() => mailServer.close())
        const receive = async (recipient: string): Promise<string> => {
          await waitUntil(() => mailServer.mailsTo(recipient).length > 0)
          return (await readMail(mailServer.mailsTo(recipient)[0]!)).text ?? ''
        }
        const smtp = `smtp://${LOGIN.user}:${encodeURIComponent(LOGIN.pass)}@127.0.0.1:${mailServer.port}`
        await start(createRegistrationServer(), { SMTP_URL: smtp })
        const address = `http://localhost:${port}`
        expect((await fetch(`${address}/developers/`)).status).toBe(200)
        const registered = await fetch(`${address}/developers/register`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ name: 'Acme', contact: 'dev@acme.example', apis: ['orders', 'catalog'] }),
        })
        expect(registered.status).toBe(202)
        const [, link = ''] = /(http\S+#\S+)/.exec((await receive('you@example.com')) ?? '') ?? []
        const [page = '', token = ''] = link.split('#')
        expect(page).toBe(`${address}/developers/register/decide`)
        const decided = await fetch(page, {
          method: 'POST',
          body: new URLSearchParams({ link: token, decision: 'approve' }),
        })
        expect(decided.status).toBe(200)
        const email = await receive('dev@acme.example')
        const [key = '', secret = ''] = [/epa_key_\w+/, /epa_sec_\w+/].map((form) => form.exec(email)?.[0])
        const answer = await fetch(`${address}/orders/token`, {
          method: 'POST',
          headers: { Authorization: `Basic ${btoa(`${key}:${secret}`)}` },
          body: new URLSearchParams({ grant_type: 'client_credentials' }),
        })
        const { access_token: accessToken } = (await answer.json()) as { access_token: string }
        const orders = await fetch(`${address}/orders/items`, { headers: { Authorization: `Bearer ${accessToken}` } })
        expect([orders.status, await orders.json()]).toEqual([200, { for: 'Acme' }])
      },
    )

    it.for(isTried ? ['"Stores"'] : [])('%s: a file keeps applications over a restart', async () => {
      const key = /clientId: '(\S+)'/
      const env = { PLATFORM_AUTH_SECRET: 'a secret of 32 characters or more' }
      const printed = await start(createStoreServer(), env)
      await waitUntil(() => key.test(printed()))
      const [, clientId = ''] = key.exec(printed()) ?? []
      server!.kill()
      await once(server!, 'exit')
      await start(createStoreServer(), env)
      const answer = await fetch(`http://localhost:${port}/catalog/items`, { headers: { 'X-Api-Key': clientId } })
      expect(answer.status).toBe(200)
    })

    it('docs/cli.md: the first commands work with the module that the page shows', async () => {
      const blocks = blocksOf(readPage('docs/cli.md'))
      const [module] = blocks.filter(({ code }) => code.includes('export default'))
      await writeFile(join(folder, 'platform.mjs'), module!.code)
      const [session] = blocks.filter(({ language }) => language === 'console')
      const lines = session!.code.split('\n').filter((line) => line.startsWith('$ npx express-platform-auth '))
      const program = join(folder, 'node_modules/express-platform-auth/dist/esm/tools/cli/main.js')
      const env = { PATH: process.env['PATH'], PLATFORM_AUTH_SECRET: 'a secret of 32 characters or more' }
      let id = ''
      for (const line of isTried ? lines : []) {
        const command = line
          .replace('$ npx express-platform-auth', `"${process.execPath}" "${program}"`)
          .replace('platform.js', 'platform.mjs')
          .replace(/app_[0-9a-f]{32}/, id)
        const { stdout } = await execute('sh', ['-c', command], { cwd: folder, env })
        id = /app_[0-9a-f]{32}/.exec(stdout)?.[0] ?? id
        expect(stdout, line).toContain(id)
      }
      expect(lines.length).toBeGreaterThan(3)
      await writeFile(join(folder, 'platform.js'), module!.code)
      const listing = execute(process.execPath, [program, 'apps', 'list', '--config', 'platform.js'], {
        cwd: folder,
        env,
      })
      if (type === 'module') expect((await listing).stdout).toContain(id)
      else await expect(listing).rejects.toThrow('name it .mjs, or write "type": "module" into package.json')
    })

    /** README's first server with the first store of "Stores". */
    function createStoreServer(): string {
      const [block] = blocksOf(README).filter(({ code }) => code.includes('const store ='))
      const used = block!.code.split('\n').filter((line) => /sqliteStore|createPlatformAuth/.test(line))
      const statements = used.map((line) => line.replace(/^createPlatformAuth/, 'const auth = createPlatformAuth'))
      const server = firstServer!.code.replace('const auth = createPlatformAuth(', 'const options = (')
      return server.replace('const app = ', `${statements.join('\n')}\nconst app = `)
    }

    /** README's first server with the block of "Registration" in place of its first two statements. */
    function createRegistrationServer(): string {
      const [block] = blocksOf(README).filter(({ code }) => code.includes('operators:'))
      const [, options] = /^const auth = createPlatformAuth\((\{[\s\S]*?\n\})\)\n/m.exec(firstServer!.code) ?? []
      const rest = firstServer!.code
        .replace(/^const auth = [\s\S]*?\n\}\)\n/m, '')
        .replace(/^const app = .*\n/m, '')
        .replace(/^console\.log.*\n/m, '')
      const [imports, routes] = [rest.split('\n').filter(isImport), rest.split('\n').filter((line) => !isImport(line))]
      return [...imports, `const options = ${options}`, block!.code, ...routes].join('\n')
    }
  },
)

function isImport(line: string): boolean {
  return line.startsWith('import ')
}
