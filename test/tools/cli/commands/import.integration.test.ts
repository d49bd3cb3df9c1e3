import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { openAdmin } from '../../../../src/tools/admin/index.js'
import { sqliteStore } from '../../../../src/stores/sqlite/index.js'
import { waitUntil } from '../../../support/wait-until.js'
import { BIN, CONFIG, createSite, printed, runInProcess, useSite, type ProgramResult } from '../command-line.js'

const site = useSite()
beforeEach(() => vi.stubEnv('CLI_IMPORTED', 'true'))

function formatLine(number: number): string {
  const keys = [{ sha256: createHash('sha256').update(`key ${number}`).digest('hex') }]
  return JSON.stringify({ externalId: `c-${number}`, name: `Partner ${number}`, apis: ['catalog'], keys })
}

async function writeLines(name: string, ...lines: readonly string[]): Promise<string> {
  const file = join(site.folder, name)
  await writeFile(file, lines.join('\n'))
  return file
}

const runImport = (file: string, ...more: string[]): Promise<ProgramResult> =>
  runInProcess(['apps', 'import', file, '--config', CONFIG, '--by', 'alice', ...more])

describe('apps import', () => {
  it('checks, and imports with --confirm; a wrong line sets the exit code', async () => {
    const lines = [`\u{FEFF}${formatLine(1)}\r`, '', 'no JSON', `{"name":"${'x'.repeat(300_000)}"}`, formatLine(2)]
    const file = await writeLines('mixed.ndjson', ...lines)
    const refused = 'Line 3: The line is not JSON.\nLine 4: The line is longer than 65536 characters.\n'
    expect(await runImport(file)).toEqual({
      code: 1,
      stdout: `${refused}4 lines: 2 would be added, 0 there already, 2 refused.\nNothing was changed. To import: --confirm\n`,
      stderr: '',
    })
    const confirmed = await runImport(file, '--confirm')
    expect(confirmed).toEqual({
      code: 1,
      stdout: `${refused}4 lines: 2 added, 0 there already, 2 refused.\n`,
      stderr: '',
    })
    const again = await runImport(await writeLines('right.ndjson', formatLine(2), formatLine(3)), '--confirm')
    expect(again).toEqual({ code: 0, stdout: '2 lines: 1 added, 1 there already, 0 refused.\n', stderr: '' })
    const { stdout } = await runInProcess(['audit', '--db', site.file])
    expect(stdout.match(/application\.imported {2}alice/g)).toHaveLength(3)
  })

  it('prints one JSON document per refused line, and the summary', async () => {
    const { code, stdout } = await runImport(await writeLines('json.ndjson', '5', formatLine(9)), '--json')
    expect(
      stdout
        .trim()
        .split('\n')
        .map((text) => JSON.parse(text) as unknown),
    ).toEqual([
      { line: 1, reason: 'The line must be a JSON object.' },
      { read: 2, added: 1, unchanged: 0, refused: 1, confirmed: false },
    ])
    expect(code).toBe(1)
  })

  it('says what is wrong with a file, and with options that cannot recognize the credentials', async () => {
    const missing = await runImport(join(site.folder, 'missing.ndjson'))
    expect(missing).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('missing.ndjson could not be read') as string,
    })
    vi.stubEnv('CLI_IMPORTED', 'false')
    const withoutOption = await runImport(await writeLines('off.ndjson', formatLine(1)))
    expect(withoutOption).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The options have no imports(): add it to features') as string,
    })
  })

  it('goes on after a kill -9, and adds each application once', async () => {
    const count = 1500
    const other = await createSite()
    const store = sqliteStore(other.file)
    const admin = await openAdmin(store)
    const file = await writeLines('many.ndjson', ...Array.from({ length: count }, (_, i) => formatLine(i)))
    const args = ['apps', 'import', file, '--config', CONFIG, '--db', other.file, '--confirm']
    const child = spawn(process.execPath, [BIN, ...args], { env: { ...process.env }, stdio: 'ignore' })
    const isStarted = async (): Promise<boolean> => (await admin.applications.list({ limit: 1 })).items.length > 0
    await waitUntil(isStarted, { timeout: 100_000 })
    child.kill('SIGKILL')
    await once(child, 'exit')
    const { code, stdout } = await runInProcess(args)
    const [, added, unchanged] = /^1500 lines: (\d+) added, (\d+) there already, 0 refused\.$/m.exec(stdout) ?? []
    expect([code, Number(added) + Number(unchanged)]).toEqual([0, count])
    expect(Number(unchanged)).toBeGreaterThan(0)
    expect(await store.imports.countHashes?.()).toEqual({ sha256: count })
    await admin.close()
  })
})

it('the doctor counts imported credentials that have not been used, and reports that they are refused', async () => {
  await runImport(await writeLines('doctor.ndjson', formatLine(100)), '--confirm')
  const check = ['doctor', '--config', CONFIG, '--json']
  expect(await printed(...check)).toMatch(/"finding": "Not used yet, [^:]+: \d+ as sha256\."/)
  vi.stubEnv('CLI_IMPORTED', 'false')
  expect(await printed(...check)).toMatch(
    /"finding": "The options have no imports\(\), .+ are refused with 401: \d+ as sha256/,
  )
})
