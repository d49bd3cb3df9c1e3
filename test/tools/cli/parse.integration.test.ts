import { describe, expect, it } from 'vitest'
import { COMMANDS } from '../../../src/tools/cli/run.js'
import { listOptions, parseCommandLine } from '../../../src/tools/cli/parse.js'
import { runInProcess } from './command-line.js'

it('names a misspelt option of every command before parameters and options that are missing', () => {
  for (const command of COMMANDS) {
    for (const name of Object.keys(listOptions(command))) {
      const parse = () => parseCommandLine([...command.name.split(' '), `--${name}x`], COMMANDS)
      expect(parse).toThrow(new RegExp(`^"${command.name}" has no option --${name}x\\. Did you mean .*--${name}\\b`))
    }
  }
})

describe('wrong usage exits with 2, says what is wrong, and names the help', () => {
  it.each([
    [[], /^express-platform-auth: No command is given\.\nSee: express-platform-auth --help\n$/],
    [['apps'], /"apps" needs a command: create, .*\nSee: express-platform-auth apps --help/],
    [['apps', 'lst'], /no command "apps lst". Did you mean "list"\?/],
    [['apps', 'rotate'], /Did you mean "rotate-secret" or "rotate-key"\?/],
    [['app', 'list'], /no command "app list". Did you mean "apps list"\?/],
    [['doktor'], /no command "doktor". Did you mean "doctor"\?/],
    [['signing-key'], /no command "signing-key". Did you mean "signing-keys list" or "signing-keys rotate"/],
    [['frobnicate'], /no command "frobnicate".\nSee: express-platform-auth --help/],
    [
      ['apps', 'list', '--stauts', 'active'],
      /"apps list" has no option --stauts. Did you mean --status\?\nUsage: express-platform-auth apps list \[options\]\nSee: express-platform-auth apps list --help/,
    ],
    [
      ['apps', 'allow', 'app_1', '--api', 'catalog'],
      /"apps allow" has no option --api\.\nUsage: express-platform-auth apps allow ID API --config MODULE \[options\]\nSee: /,
    ],
    [['apps', 'show', 'app_1', '--overlap', '1'], /"apps show" has no option --overlap\./],
    [['apps', 'list', '--by', 'me'], /"apps list" has no option --by\./],
    [['apps', 'list', '-x'], /"apps list" has no option -x\./],
    [['apps', 'list', '--limit'], /'--limit <value>' argument missing/],
    [['apps', 'list', '--all=yes'], /'--all' does not take an argument/],
    [['apps', 'list', '--limit', 'ten', '--db', 'x'], /--limit is "ten". It must be a whole number\./],
    [['apps', 'list', 'more', '--db', 'x'], /"apps list" takes options only, and not "more"\./],
    [['apps', 'show', '--db', 'x'], /"apps show" needs ID\./],
    [['apps', 'allow', 'app_1', '--db', 'x'], /"apps allow" needs API\./],
    [['apps', 'show', 'a', 'b', '--db', 'x'], /"apps show" takes ID, and not "b"\./],
    [['apps', 'create', '--api', 'orders', '--config', 'x'], /"apps create" needs --name NAME\./],
    [['apps', 'list'], /No store is given\. Add --db ADDRESS or --config MODULE\.\nSee: .* apps list --help/],
    [['apps', 'create', '--name', 'Shop', '--api', 'orders', '--db', 'x'], /"apps create" needs --config MODULE/],
    [
      ['apps', 'list', '--db', 'mysql://host/x'],
      /--db starts with mysql:\/\/. It must be postgres:\/\/\.\.\., or the path/,
    ],
  ] as const)('%j', async (args, message) => {
    const { code, stdout, stderr } = await runInProcess(args)
    expect(stderr).toMatch(message)
    expect(stderr).toContain('\nSee: express-platform-auth ')
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  })

  it('does not repeat the password of an address that is not a URL', async () => {
    const { code, stderr } = await runInProcess(['apps', 'list', '--db', 'postgres://me:hidden word@host:port/x'])
    expect(code).toBe(2)
    expect(stderr).not.toContain('hidden')
  })
})
