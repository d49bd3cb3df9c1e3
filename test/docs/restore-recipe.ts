import { cp } from 'node:fs/promises'
import { expect } from 'vitest'
import { CHANGES, createPartner, observe, type Partner } from './changes-since-backup.js'
import type { FullSite, Output, Server } from './full-site.js'
import { blocksOf, readPage } from './pages.js'

/** The commands of docs/incidents.md for a database, in their order. */
function restoreBlocks(database: 'SQLite' | 'PostgreSQL') {
  const text = database === 'SQLite' ? 'platform.sqlite' : 'DATABASE_URL'
  const blocks = blocksOf(readPage('docs/incidents.md')).filter(({ code }) => code.includes(text))
  const [backUp, restore, check] = ['', '', 'restore-check'].map((part, at) =>
    part === '' ? blocks[at]!.code : blocks.find(({ code }) => code.includes(part))!.code,
  )
  return { backUp: backUp!, restore: restore!, check: check! }
}

/** Makes a partner for each change, runs the page's recipe as an operator does, and expects that it makes all of them again. */
export async function followRestoreRecipe(site: FullSite, database: 'SQLite' | 'PostgreSQL'): Promise<Server> {
  const { backUp, restore, check } = restoreBlocks(database)
  let server = await site.start()
  const partners: Partner[] = []
  for (const [index, { before }] of CHANGES.entries()) {
    const partner = await createPartner(server, index)
    await before?.(server, partner)
    partners.push(partner)
  }
  const observeAll = async () => {
    const all: Record<string, object> = {}
    for (const [index, { name }] of CHANGES.entries()) all[name] = await observe(server, partners[index]!)
    return all
  }
  const atBackup = await observeAll()
  expect(await site.sh(backUp)).toMatchObject({ code: 0, stderr: '' })

  for (const [index, { change }] of CHANGES.entries()) await change(server, partners[index]!)
  const lost = await observeAll()
  // Each change makes a difference that can be seen.
  expect(CHANGES.filter(({ name }) => JSON.stringify(lost[name]) === JSON.stringify(atBackup[name]))).toEqual([])

  // Processes with SQLite have to be stopped, here by a kill: its files stay as they are. With PostgreSQL processes follow.
  if (database === 'SQLite') {
    const killed = `${site.folder}-killed`
    await cp(site.folder, killed, {
      recursive: true,
      filter: (path) => path === site.folder || /\.sqlite(?:-\w+)?$/.test(path),
    })
    await server.stop()
    await cp(killed, site.folder, { recursive: true })
  }
  expect(await site.sh(restore)).toMatchObject({ code: 0, stderr: '' })
  if (database === 'SQLite') server = await site.start()
  // A process that runs on goes on refusing the access token that was revoked.
  const name = 'access token revoked by the application'
  const undone = database === 'SQLite' ? atBackup : { ...atBackup, [name]: { ...atBackup[name], orders: 401 } }
  await expect.poll(observeAll).toEqual(undone)
  // What is made meanwhile gets the ids of the lost changes.
  for (let i = 0; i < 3; i++) await createPartner(server, CHANGES.length + i)

  const { stdout, code } = await site.sh(check)
  expect(code).toBe(3)
  const listed = stdout.slice(0, stdout.indexOf('Undone, by the audit log'))
  for (const line of listCommands({ stdout: listed })) {
    const { code: done, stderr } = await site.run(`${line} --config platform.js --db platform.sqlite`)
    expect({ line, done, stderr }).toEqual({ line, done: 0, stderr: '' })
  }
  // An access token that its application had revoked is one of many that ended: its signing key was revoked.
  const withoutTokens = Object.entries(lost).map(([name, seen]) => [name, { ...seen, orders: 401 }])
  await expect.poll(observeAll).toEqual(Object.fromEntries(withoutTokens))
  const again = await site.sh(
    check
      .split('\n')
      .filter((line) => line.includes('restore-check'))
      .join('\n'),
  )
  expect(listCommands(again)).toEqual([])
  // The mail server refuses what has to wait.
  const { problems } = await server.auth.health()
  expect(problems.filter((problem) => !problem.startsWith('No e-mail'))).toEqual([])
  return server
}

function listCommands({ stdout }: Pick<Output, 'stdout'>): string[] {
  return [...stdout.matchAll(/ {2}((?:apps|signing-keys|emails|portal|session-secret) .*)$/gm)].map(([, line]) => line!)
}
