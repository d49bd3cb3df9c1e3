import { describe, expect, it } from 'vitest'
import { COMMANDS } from '../../src/cli/commands.js'
import { optionsOf, parse } from '../../src/cli/parse.js'
import { core } from './command-line.js'

describe('help', () => {
  it('lists every command, the exit codes and where the platform is', async () => {
    const { code, stdout, stderr } = await core(['--help'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    for (const { name } of COMMANDS) expect(stdout).toContain(`  ${name}`)
    for (const word of ['--db', '--config', 'EXPRESS_PLATFORM_AUTH_DB', 'EXPRESS_PLATFORM_AUTH_CONFIG', 'DEBUG']) {
      expect(stdout).toContain(word)
    }
    for (const exitCode of [0, 1, 2, 3, 4]) expect(stdout).toMatch(new RegExp(`^ {2}${exitCode}  \\w`, 'm'))
    expect(await core(['-h'])).toEqual({ code, stdout, stderr })
  })

  it('of a group lists its commands', async () => {
    const { code, stdout } = await core(['signing-keys', '--help'])
    expect(code).toBe(0)
    expect(stdout).toContain('signing-signing-keys revoke KID')
    expect(stdout).not.toContain('apps')
  })

  it.each(COMMANDS.map((command) => [command.name, command] as const))(
    'of "%s" names all it takes',
    async (name, command) => {
      const { code, stdout, stderr } = await core([...name.split(' '), '--help'])
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(stdout).toContain(`Usage: express-platform-auth ${[name, ...command.parameters].join(' ')} `)
      for (const option of Object.keys(optionsOf(command))) expect(stdout).toMatch(new RegExp(`^ +--${option}\\b`, 'm'))
      expect(stdout.split('\n').every((line) => line.length <= 120)).toBe(true)
    },
  )

  it.each(COMMANDS.map((command) => [command.name, command] as const))(
    'gives "%s" an example that can be typed, without a secret',
    (_name, command) => {
      const words = [...command.example.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word!)
      expect(parse(words, COMMANDS)).toMatchObject({ what: 'command', command })
      expect(command.example).toMatch(/--(?:db|config) /)
      expect(command.example).not.toMatch(/_sec_|_key_|password|:\/\/\S*:\S*@/)
    },
  )

  it('says which version this is', async () => {
    expect(await core(['--version'])).toEqual({ code: 0, stdout: '1.2.3\n', stderr: '' })
  })
})

describe('wrong usage ends with 2, says what is wrong, and where to read on', () => {
  it.each([
    [[], /^express-platform-auth: Which command\?\nSee: express-platform-auth --help\n$/],
    [['apps'], /"apps" what\? There are: create, .*\nSee: express-platform-auth apps --help/],
    [['apps', 'lst'], /no command "apps lst". Did you mean "list"\?/],
    [['apps', 'rotate'], /Did you mean "rotate-secret" or "rotate-key"\?/],
    [['app', 'list'], /no command "app list". Did you mean "apps list"\?/],
    [['doktor'], /no command "doktor". Did you mean "doctor"\?/],
    [['signing-key'], /no command "signing-key". Did you mean "signing-keys list" or "signing-keys rotate"/],
    [['frobnicate'], /no command "frobnicate".\nSee: express-platform-auth --help/],
    [
      ['apps', 'list', '--stauts', 'active'],
      /"apps list" has no option --stauts. Did you mean --status\?\nSee: express-platform-auth apps list --help/,
    ],
    [['apps', 'show', 'app_1', '--overlap', '1'], /"apps show" has no option --overlap\./],
    [['apps', 'list', '--by', 'me'], /"apps list" has no option --by\./],
    [['apps', 'list', '-x'], /"apps list" has no option -x\./],
    [['apps', 'list', '--limit'], /'--limit <value>' argument missing/],
    [['apps', 'list', '--all=yes'], /'--all' does not take an argument/],
    [['apps', 'list', '--limit', 'ten', '--db', 'x'], /--limit is "ten". It is a whole number\./],
    [['apps', 'list', 'more', '--db', 'x'], /"apps list" takes options only: "more" is too much\./],
    [['apps', 'show', '--db', 'x'], /"apps show" needs ID\./],
    [['apps', 'allow', 'app_1', '--db', 'x'], /"apps allow" needs API\./],
    [['apps', 'show', 'a', 'b', '--db', 'x'], /"apps show" takes ID: "b" is too much\./],
    [['apps', 'create', '--name', 'Shop', '--config', 'x'], /"apps create" needs --api API\[=SCOPES\]\./],
    [['apps', 'create', '--api', 'orders', '--config', 'x'], /"apps create" needs --name NAME\./],
    [['apps', 'list'], /Where is the store\? Give --db URL or path, or --config MODULE\.\nSee: .* apps list --help/],
    [['apps', 'create', '--name', 'Shop', '--api', 'orders', '--db', 'x'], /"apps create" needs --config MODULE/],
    [['apps', 'list', '--db', 'mysql://host/x'], /--db begins with mysql:\/\/. It is postgres:\/\/\.\.\., or the path/],
  ] as const)('%j', async (args, message) => {
    const { code, stdout, stderr } = await core(args)
    expect(stderr).toMatch(message)
    expect(stderr).toContain('\nSee: express-platform-auth ')
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  })

  it('repeats no password of an address that is none', async () => {
    const { code, stderr } = await core(['apps', 'list', '--db', 'postgres://me:hidden word@host:port/x'])
    expect(code).toBe(2)
    expect(stderr).not.toContain('hidden')
  })
})
