import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import express from 'express'
import { expect, it } from 'vitest'
import { createTemporaryFolder } from '../support/temporary-folder.js'
import { blocksOf, readPage } from '../docs/pages.js'
import { freePort } from '../support/free-port.js'
import { basic, createApplication, GRANT, listen } from '../support/http.js'
import { usePlatform } from '../support/platform.js'

it('docs/operations.md, "Access logs": nginx logs the key without the recipe, and not with it', async () => {
  const { auth } = usePlatform()
  const shop = await createApplication(auth, ['orders'])
  const app = await listen(express().use(auth.router))
  const folder = await createTemporaryFolder()
  const port = await freePort()
  await writeFile(join(folder, 'nginx.conf'), createConfiguration(folder, port, app.port))
  const nginx = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error.log')])
  const ended = once(nginx, 'exit')
  try {
    const headers = { Authorization: basic(shop.clientId, shop.clientSecret) }
    const send = () =>
      fetch(`http://127.0.0.1:${port}/orders/token`, { method: 'POST', headers, body: new URLSearchParams(GRANT) })
    await expect.poll(async () => (await send()).status).toBe(200)
    const readLog = (name: string) => readFile(join(folder, name), 'utf8')
    await expect.poll(() => readLog('combined.log')).toContain(shop.clientId)
    await expect.poll(() => readLog('access.log')).toMatch(/ - - \[.*\] "POST \/orders\/token HTTP\/1\.1" 200 \d+ /)
    expect(await readLog('access.log')).not.toMatch(/epa_|app_/)
  } finally {
    nginx.kill()
    await ended
    await app.close()
  }
})

/** The block of the page, in a server that forwards to `appPort`. One process, so that no other user needs the folder. */
function createConfiguration(folder: string, port: number, appPort: number): string {
  const block = blocksOf(readPage('docs/operations.md')).find(
    ({ language, code }) => language === 'nginx' && code.includes('log_format'),
  )
  const recipe = block!.code.replace('/var/log/nginx/', `${folder}/`)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/tmp;`,
  )
  return `daemon off; master_process off; pid ${folder}/nginx.pid;
events {}
http {
  ${temporary.join(' ')}
  ${recipe}
  access_log ${folder}/combined.log combined;
  server { listen 127.0.0.1:${port}; location / { proxy_pass http://127.0.0.1:${appPort}; } }
}
`
}
