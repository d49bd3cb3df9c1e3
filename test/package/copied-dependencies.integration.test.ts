import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { readText } from './packed.js'

const root = fileURLToPath(new URL('../..', import.meta.url))

describe('the dependencies that are copied into dist', () => {
  it('the CommonJS copy of jose names the version in package-lock.json and carries the licence', async () => {
    const [banner = ''] = (await readText(root, 'dist/cjs/vendored/jose.js')).split('*/')
    const licence = await readText(root, 'node_modules/jose/LICENSE.md')
    expect(banner.trim()).toBe(`/*! jose ${await lockedVersion('jose')}\n\n${licence.trim()}`)
  })

  it('the CommonJS copy of jose has all that the package takes of it', async () => {
    const copy = (await import(join(root, 'dist/cjs/vendored/jose.js'))) as object
    const taken = new Set<string>()
    for (const path of readdirSync(join(root, 'dist/cjs'), { recursive: true, encoding: 'utf8' })) {
      const code = path.endsWith('.js') ? await readText(root, `dist/cjs/${path}`) : ''
      for (const [, name] of code.matchAll(/var (\w+) = require\("[^"]*vendored\/jose\.js"\)/g))
        for (const [, member = ''] of code.matchAll(new RegExp(`\\b${name}\\.(\\w+)`, 'g'))) taken.add(member)
    }
    expect(taken).toContain('jwtVerify')
    expect([...taken].filter((member) => !(member in copy))).toEqual([])
  })

  it.each(['marked', 'tlds', 'zod'])(
    'the licence of %s is there, with the version in package-lock.json',
    async (name) => {
      const licence = await readText(root, `node_modules/${name}/LICENSE`)
      expect(await readText(root, `dist/assets/${name}.LICENSE`)).toBe(
        `${name} ${await lockedVersion(name)}\n\n${licence}`,
      )
    },
  )

  it('marked is a part of the console in both formats', async () => {
    for (const format of ['esm', 'cjs'])
      expect(await readText(root, `dist/${format}/tools/console/index.js`)).toContain('github.com/markedjs/marked')
  })

  it.each(['jose', 'marked', 'tlds', 'zod'])('SECURITY.md names the locked version of %s', async (name) => {
    const rows = (await readText(root, 'SECURITY.md')).split('\n').filter((line) => line.startsWith('|'))
    const row = rows.find((line) => line.split('|')[1]?.includes(name))
    expect(row?.split('|')[2]).toContain(await lockedVersion(name))
  })
})

async function lockedVersion(name: string): Promise<string> {
  const { packages } = JSON.parse(await readText(root, 'package-lock.json')) as {
    packages: Record<string, { version: string }>
  }
  return packages[`node_modules/${name}`]?.version ?? `${name} is not in package-lock.json`
}
