import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { blocksOf, readPage } from '../docs/pages.js'
import { freePort } from './free-port.js'
import { waitUntil } from './wait-until.js'

/** Starts PgBouncer as docs/scaling.md configures it in front of the database. `end` stops it and deletes its files. */
export async function startPgBouncer(databaseUrl: string): Promise<{ readonly url: string; end(): Promise<void> }> {
  const { hostname, port, username, password, pathname } = new URL(databaseUrl)
  const folder = await mkdtemp(join(tmpdir(), 'pgbouncer-'))
  // It does not run as root, and changes to the user of `user`.
  await chmod(folder, 0o755)
  const listenPort = await freePort()
  const login = `user=${decodeURIComponent(username)}${password && ` password=${decodeURIComponent(password)}`}`
  const documented = blocksOf(readPage('docs/scaling.md')).find(({ language }) => language === 'ini')!.code
  const connection = `host=${hostname} port=${port || 5432} dbname=${pathname.slice(1)} ${login}`
  const settings = ['listen_addr = 127.0.0.1', `listen_port = ${listenPort}`, 'auth_type = any', 'unix_socket_dir =']
  if (process.getuid?.() === 0) settings.push('user = nobody')
  const configuration = `${documented.replace(/host=.*/, connection)}\n${settings.join('\n')}\n`
  await writeFile(join(folder, 'pgbouncer.ini'), configuration)
  const server = spawn('pgbouncer', ['-q', join(folder, 'pgbouncer.ini')], {
    stdio: 'ignore',
    env: { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin` },
  })
  const killOnExit = (): void => void server.kill('SIGKILL')
  process.on('exit', killOnExit)
  await waitUntil(() => canConnect(listenPort))
  return {
    url: `postgres://${username}@127.0.0.1:${listenPort}/platform`,
    async end() {
      process.off('exit', killOnExit)
      const exited = once(server, 'exit')
      server.kill('SIGKILL')
      await exited
      await rm(folder, { recursive: true })
    },
  }
}

async function canConnect(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const connected = await once(socket, 'connect').then(
    () => true,
    () => false,
  )
  socket.destroy()
  return connected
}
