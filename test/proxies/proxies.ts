import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { blocksOf, readPage } from '../docs/pages.js'
import { freePort } from '../support/free-port.js'
import { waitUntil } from '../support/wait-until.js'

/** A proxy in front of instances of an app, configured as docs/operations.md shows. */
export interface Proxy {
  readonly port: number
  end(): Promise<void>
}

/** The proxies of docs/operations.md, by the language of their block of configuration. */
export const PROXIES = {
  haproxy: {
    command: 'haproxy',
    args: (file: string) => ['-db', '-f', file],
    complete: (config: string, port: number) => `
global
  maxconn 1000
${config}
frontend http
  bind 127.0.0.1:${port}
  default_backend api
`,
  },
  nginx: {
    command: 'nginx',
    args: (file: string) => ['-c', file, '-e', 'stderr'],
    complete: (config: string, port: number, folder: string) => `
daemon off;
worker_processes 2;
pid ${folder}/nginx.pid;
error_log stderr crit;
events {}
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
${config.replace('listen 80;', `listen 127.0.0.1:${port};`)}
}
`,
  },
} as const

/** Starts a proxy in front of two instances, which answer at /healthz. */
export async function startProxy(kind: keyof typeof PROXIES, instances: readonly number[]): Promise<Proxy> {
  const block = blocksOf(readPage('docs/operations.md')).find(({ language }) => language === kind)
  if (!block) throw new Error(`docs/operations.md has no block in ${kind}`)
  const [first, second] = instances
  const config = block.code
    .replaceAll('10.0.0.11:3000', `127.0.0.1:${first}`)
    .replaceAll('10.0.0.12:3000', `127.0.0.1:${second}`)
  const isUp = async (port: number): Promise<boolean> =>
    fetch(`http://127.0.0.1:${port}/healthz`).then(
      ({ status }) => status === 200,
      () => false,
    )
  return launchProxy(kind, (port, folder) => PROXIES[kind].complete(config, port, folder), isUp)
}

/** Starts a proxy with a configuration of the test's own, which is made for a port and a folder. */
export async function launchProxy(
  kind: keyof typeof PROXIES,
  createConfig: (port: number, folder: string) => string,
  isReady: (port: number) => Promise<boolean>,
): Promise<Proxy> {
  const { command, args } = PROXIES[kind]
  const folder = await mkdtemp(join(tmpdir(), `${kind}-`))
  // nginx's workers are another user's, and keep large bodies there.
  await chmod(folder, 0o755)
  const port = await freePort()
  const file = join(folder, 'config')
  await writeFile(file, createConfig(port, folder))
  // Debian installs both in a folder that is not in every user's PATH.
  const env = { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin` }
  const child = spawn(command, args(file), { stdio: ['ignore', 'ignore', 'pipe'], env })
  let output = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (output += text))
  const ended = once(child, 'close')
  async function end(): Promise<void> {
    child.kill(kind === 'nginx' ? 'SIGQUIT' : 'SIGTERM')
    const timer = setTimeout(() => child.kill('SIGKILL'), 5000)
    await ended
    clearTimeout(timer)
    await rm(folder, { recursive: true, force: true })
  }
  const isUp = async (): Promise<boolean> => {
    if (child.exitCode !== null) throw new Error(`${kind} has ended: ${output}`)
    return isReady(port)
  }
  try {
    await waitUntil(isUp, { timeout: 60_000, interval: 50 })
  } catch (error) {
    await end()
    throw new Error(`${String(error)} ${output}`, { cause: error })
  }
  return { port, end }
}
