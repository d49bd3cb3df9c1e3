import { readFileSync } from 'node:fs'
import { parseSync } from 'oxc-parser'
import { describe, expect, it } from 'vitest'
import { readSourceFiles } from './support/source-files.js'

/**
 * What importing the package costs everybody. These figures only fall: a change that raises one says why. Scopes of keys, networks
 * and limits of one application raised them from 189 modules and 15,500 lines: every guard judges them. The hook of plans and the check that nothing lacks it are 200 of these lines.
 * What operators left of an application's credentials, former records in an outage, settings of other processes and flush() raised
 * them again, from 199 and 16,450: each of them must hold in every process. The lines rose by 1,100 when types moved from files of their own,
 * which nothing loads, into the files that return them; and by 300 for key sets, which are core records.  The type of a signer is one name more.
 * Small files that were merged into those that read them, and what resource servers ask (400), raised the lines by 900.
 * The note of an approval is an option with a type.
 * What guards read of the store is one contract, which processes without a database have from the platform: 150 lines, and the name of what both have in common.
 * What `auth.applications` and `auth.audit` do is loaded with the first call: 1,700 lines and 24 modules fewer.
 */
const LIMITS = { modules: 150, lines: 16_550, linesWithoutTypes: 15_200, values: 20, types: 93 }

describe('the main entry', () => {
  it('loads no more modules and lines than before', () => {
    const files = new Map(readSourceFiles().map((file) => [file.path, file]))
    const loaded = new Set(['index.ts'])
    for (const path of loaded) {
      for (const { target, kind, typeOnly, late } of files.get(path)!.imports) {
        if (kind === 'file' && !typeOnly && !late) loaded.add(target)
      }
    }
    const count = (member: 'lines' | 'typeLines'): number =>
      [...loaded].reduce((sum, path) => sum + files.get(path)![member], 0)
    expect(loaded.size).toBeLessThanOrEqual(LIMITS.modules)
    expect(count('lines')).toBeLessThanOrEqual(LIMITS.lines)
    expect(count('lines') - count('typeLines')).toBeLessThanOrEqual(LIMITS.linesWithoutTypes)
  })

  it('asks of a store at most 22 calls, beside its parts', () => {
    const source = readFileSync(new URL('../src/shared/contracts/store.ts', import.meta.url), 'utf8')
    const [, store = ''] = /^export interface Store \{\n([\s\S]*?)^\}/m.exec(source) ?? []
    const calls = [...store.matchAll(/^ {2}(\w+)\??\(/gm)].map(([, name]) => name)
    expect(calls).toContain('saveApplication')
    expect(calls.length).toBeLessThanOrEqual(22)
  })

  it('exports no more names than before', () => {
    const source = readFileSync(new URL('../src/index.ts', import.meta.url), 'utf8')
    const names = parseSync('index.ts', source).module.staticExports.flatMap(({ entries }) => entries)
    expect(names.filter(({ isType }) => !isType).length).toBeLessThanOrEqual(LIMITS.values)
    expect(names.filter(({ isType }) => isType).length).toBeLessThanOrEqual(LIMITS.types)
  })
})
