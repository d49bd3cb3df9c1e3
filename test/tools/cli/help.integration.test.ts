import { describe, expect, it } from 'vitest'
import { readFileSync } from 'node:fs'
import { COMMANDS } from '../../../src/tools/cli/run.js'
import { listOptions, parseCommandLine } from '../../../src/tools/cli/parse.js'
import { runInProcess } from './command-line.js'

describe('help', () => {
  it('lists every command, the exit codes, and how to name the store and the options', async () => {
    const { code, stdout, stderr } = await runInProcess(['--help'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    for (const { name } of COMMANDS) expect(stdout).toContain(`  ${name}`)
    for (const word of ['--db', '--config', 'EXPRESS_PLATFORM_AUTH_DB', 'EXPRESS_PLATFORM_AUTH_CONFIG', 'DEBUG']) {
      expect(stdout).toContain(word)
    }
    for (const exitCode of [0, 1, 2, 3, 4]) expect(stdout).toMatch(new RegExp(`^ {2}${exitCode}  \\w`, 'm'))
    expect(await runInProcess(['-h'])).toEqual({ code, stdout, stderr })
  })

  it('lists whole sentences, within the width of a terminal', async () => {
    const topics = [
      '',
      ...new Set(COMMANDS.filter(({ name }) => name.includes(' ')).map(({ name }) => name.split(' ')[0]!)),
    ]
    for (const topic of topics) {
      const { stdout } = await runInProcess([...topic.split(' ').filter(Boolean), '--help'])
      const joined = stdout.replaceAll(/\n {8,}/g, ' ')
      for (const { name, summary } of COMMANDS.filter((command) => command.name.startsWith(topic))) {
        const line = joined.split('\n').find((each) => each.startsWith(`  ${name} `))!
        const description = line.replace(/^ {2}\S.*? {2,}/, '')
        const rest = summary.replace(description, '')
        expect([description, rest], name).toEqual([
          expect.stringMatching(/^[A-Z]/),
          expect.stringMatching(/^\.(?: [A-Z]|$)/),
        ])
      }
      expect(stdout.split('\n').filter((line) => line.length > 120)).toEqual([])
    }
  })

  it('shows every paragraph and every description of an option whole', async () => {
    for (const command of COMMANDS) {
      const { stdout } = await runInProcess([...command.name.split(' '), '--help'])
      const words = stdout.replaceAll(/\s+/g, ' ')
      const texts = [
        command.summary,
        ...command.notes,
        ...Object.values(listOptions(command)).map((one) => one.description),
      ]
      for (const text of texts) expect(words).toContain(text)
    }
  })

  it('of a group lists the commands of the group only', async () => {
    const { code, stdout } = await runInProcess(['signing-keys', '--help'])
    expect(code).toBe(0)
    expect(stdout).toContain('signing-keys revoke KID')
    expect(stdout).not.toContain('apps')
  })

  it.each(COMMANDS.map((command) => [command.name, command] as const))(
    'of "%s" names all its parameters and options',
    async (name, command) => {
      const { code, stdout, stderr } = await runInProcess([...name.split(' '), '--help'])
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(stdout).toContain(`Usage: express-platform-auth ${[name, ...command.parameters].join(' ')} `)
      for (const option of Object.keys(listOptions(command))) {
        expect(stdout).toMatch(new RegExp(`^ +--${option}\\b`, 'm'))
      }
      expect(stdout.split('\n').every((line) => line.length <= 120)).toBe(true)
    },
  )

  it.each(COMMANDS.map((command) => [command.name, command] as const))(
    'of "%s" has an example that can be typed and contains no secret',
    (_name, command) => {
      const words = [...command.example.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word!)
      expect(parseCommandLine(words, COMMANDS)).toMatchObject({ kind: 'command', command })
      expect(command.example).toMatch(/--(?:db|config) /)
      expect(command.example).not.toMatch(/_sec_|_key_|password|:\/\/\S*:\S*@/)
    },
  )

  it('has the commands that docs/cli.md lists: those that need the store alone, and those that need the options', () => {
    const page = readFileSync(new URL('../../../docs/cli.md', import.meta.url), 'utf8')
    const rows = ['--db', '--config'].map((flag) => page.split('\n').find((line) => line.startsWith(`| \`${flag} `))!)
    const listed = rows.map((row) => {
      const names = [...row.split('|')[2]!.matchAll(/`([a-z][a-z -]+)`/g)].map(([, name]) => name!)
      return names.map((name) => (COMMANDS.some((command) => command.name === name) ? name : `apps ${name}`)).toSorted()
    })
    const needing = (...requires: string[]) =>
      COMMANDS.filter((command) => requires.includes(command.requires)).map(({ name }) => name)
    expect(listed).toEqual([needing('store').toSorted(), needing('options').toSorted()])
  })
})
