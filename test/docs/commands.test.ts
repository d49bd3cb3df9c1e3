import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { COMMANDS } from '../../src/tools/cli/run.js'
import { formatHelp } from '../../src/tools/cli/help.js'
import { parseCommandLine } from '../../src/tools/cli/parse.js'
import { allPages, blocksOf, ROOT } from './pages.js'

const { scripts, devDependencies, peerDependencies, name } = JSON.parse(
  readFileSync(join(ROOT, 'package.json'), 'utf8'),
) as Record<'scripts' | 'devDependencies' | 'peerDependencies', Record<string, string>> & { name: string }

/** Programs that pages use and that are not ours. */
const PROGRAMS = [
  'apt-get',
  'chmod',
  'cp',
  'curl',
  'echo',
  'export',
  'git',
  'jq',
  'kill',
  'openssl',
  'mkdir',
  'mv',
  'pg_dump',
  'pg_restore',
  'psql',
  'sqlite3',
  'tail',
  'umask',
]
const NPM_COMMANDS = ['ci', 'init', 'pack', 'publish', 'version']

const commands = allPages()
  .flatMap(blocksOf)
  .filter(({ language }) => ['sh', 'bash', 'console'].includes(language))
  .flatMap(({ page, code, language }) => commandsIn(code, language).map((words) => ({ page, words })))
const texts = new Map(allPages().map(({ path, text }) => [path, text]))

it('pages show commands', () => {
  expect(commands.length).toBeGreaterThan(15)
})

it.each(commands.map(({ page, words }) => [page, words.join(' '), words] as const))(
  '%s: %s exists',
  (page, _text, words) => expect(problemWith(words, texts.get(page)!)).toBeUndefined(),
)

/** The commands of a block, each as its words, without comments, variables, and what is piped to where. */
function commandsIn(code: string, language: string): string[][] {
  const lines = code.replaceAll('\\\n', ' ').split('\n')
  const typed =
    language === 'console' ? lines.filter((line) => line.startsWith('$ ')).map((line) => line.slice(2)) : lines
  return typed
    .flatMap((line) => withoutComment(line).split(/\s(?:&&|\|\||\||;)\s/))
    .map((command) => command.match(/'[^']*'|"[^"]*"|\S+/g) ?? [])
    .map((words) => words.slice(words.filter(isAssignment).length))
    .filter((words) => words.length > 0)
}

/** A variable for one command, such as NODE_ENV=production; they come first. */
function isAssignment(word: string): boolean {
  return /^[A-Z_]+=/.test(word)
}

function withoutComment(line: string): string {
  return line.replace(/(?:^|\s)#.*$/, '').trim()
}

/** What is wrong with a command; undefined if it can be run. */
function problemWith([program = '', ...args]: readonly string[], page: string): string | undefined {
  if (program === 'npm') return problemWithNpm(args)
  if (program === 'npx' && args[0] === name) return problemWithOurs(args.slice(1))
  if (program === 'npx') return undefined
  if (program === 'node') {
    // A file of the repository, or one that the page tells its reader to write.
    const isThere = args.some((arg) => existsSync(join(ROOT, arg)) || page.includes(`\`${arg}\``))
    return isThere ? undefined : `no file of ${args.join(' ')}`
  }
  return PROGRAMS.includes(program) ? undefined : `unknown program ${program}`
}

function problemWithNpm([command = '', ...args]: readonly string[]): string | undefined {
  if (NPM_COMMANDS.includes(command)) return undefined
  if (command === 'install') {
    const known = [name, ...Object.keys(peerDependencies), ...Object.keys(devDependencies)]
    const unknown = args.filter((arg) => !arg.startsWith('-') && !known.includes(arg))
    return unknown.length === 0 ? undefined : `packages that nothing here uses: ${unknown.join(', ')}`
  }
  const script = command === 'run' ? args.find((arg) => !arg.startsWith('-')) : command
  return script !== undefined && script in scripts ? undefined : `no script ${script}`
}

/** Asks the command line's own help. */
function problemWithOurs(args: readonly string[]): string | undefined {
  const end = args.findIndex((arg) => !/^[a-z][a-z-]*$/.test(arg))
  const words = end < 0 ? args : args.slice(0, end)
  const parsed = parseCommandLine([...words, '--help'], COMMANDS)
  const help = parsed.kind === 'help' ? formatHelp(parsed.topic, COMMANDS) : ''
  if (!help.startsWith(`Usage: ${[name, ...words].join(' ')}`)) return `no command ${words.join(' ')}`
  const unknown = args.filter((arg) => arg.startsWith('--') && !help.includes(arg.split('=')[0]!))
  return unknown.length === 0 ? undefined : `no options ${unknown.join(', ')}`
}
