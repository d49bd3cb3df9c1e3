import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { SampleLanguage } from '../../../src/shared/samples/prepare.js'

/** How the programs of a language are run. */
export interface LanguageRun {
  /** The ending of their files. */
  readonly ending: string
  /** The commands that run these files, one after the other. */
  readonly listCommands: (files: readonly string[]) => readonly (readonly [program: string, ...args: string[]])[]
  /** Makes a program call the API twice. */
  readonly repeat: (code: string) => string
  /** Methods with which the runtime sends no body, although that of the sample's readers does. */
  readonly bodiless?: readonly string[]
}

export type LanguageRuns = Partial<Record<SampleLanguage, LanguageRun>>

const execute = promisify(execFile)
const { PYTHON = '/usr/bin/python3' } = process.env

/** Those that `npm test` runs. One process runs all programs of a language: starting one takes longer than the calls. */
export const SHORT_RUNS: LanguageRuns = {
  curl: {
    ending: '.sh',
    listCommands: (files) => [['sh', '-c', 'for file; do sh "$file"; done', 'sh', ...files]],
    // The command that gets an access token is one block, the call another.
    repeat: (code) => `${code}\n${code.split('\n\n').at(-1)}\n`,
  },
  javascript: {
    ending: '.mjs',
    listCommands: (files) => [
      [
        process.execPath,
        '--input-type=module',
        '-e',
        'for (const file of process.argv.slice(1)) await import(`${process.cwd()}/${file}`)',
        ...files,
      ],
    ],
    repeat: (code) => `${code}\nawait callApi()\n`,
  },
  python: {
    ending: '.py',
    listCommands: (files) => [
      [PYTHON, '-c', 'import runpy, sys\nfor file in sys.argv[1:]: runpy.run_path(file)', ...files],
    ],
    repeat: (code) => `${code}\ncall_api()\n`,
  },
}

/** What samples need of .NET and Debian's Mono does not have. */
const MONO_SUPPORT = fileURLToPath(new URL('mono-support.cs', import.meta.url))

/** One JVM runs all files. */
const RUN_ALL = fileURLToPath(new URL('RunAll.java', import.meta.url))
const LAUNCHER = 'jdk.compiler/com.sun.tools.javac.launcher=ALL-UNNAMED'

/** Those of the long lane. */
export const LONG_RUNS: LanguageRuns = {
  go: {
    ending: '.go',
    listCommands: (files) =>
      files.flatMap((file) => [
        ['go', 'vet', file],
        ['go', 'run', file],
      ]),
    repeat: (code) => code.replace('response, err := callAPI()', 'callAPI()\n\tresponse, err := callAPI()'),
  },
  php: {
    ending: '.php',
    listCommands: (files) => files.map((file) => ['php', file]),
    repeat: (code) => `${code}\ncallApi();\n`,
  },
  java: {
    ending: '.java',
    listCommands: (files) => [['java', '--add-exports', LAUNCHER, RUN_ALL, ...files]],
    repeat: (code) => code.replace('response = callApi()', 'first = callApi(), response = callApi()'),
  },
  csharp: {
    ending: '.cs',
    // .NET sends a body with every method, Mono does not.
    bodiless: ['get', 'head'],
    listCommands: (files) =>
      files.flatMap((file) => [
        [
          'mcs',
          '-r:System.Net.Http',
          '-r:System.Web.Extensions',
          '-main:EntryPoint',
          '-out:sample.exe',
          file,
          MONO_SUPPORT,
        ],
        ['mono', 'sample.exe'],
      ]),
    repeat: (code) =>
      code.replace('var response = await CallApi()', 'await CallApi();\n        var response = await CallApi()'),
  },
}

/** Writes programs into a folder and runs them there; resolves what they printed. */
export async function runPrograms(
  programs: readonly string[],
  { ending, listCommands }: LanguageRun,
  { folder, environment = {} }: { readonly folder: string; readonly environment?: Readonly<Record<string, string>> },
): Promise<string> {
  const files = programs.map((_, index) => `sample${index}${ending}`)
  await Promise.all(programs.map((code, index) => writeFile(join(folder, files[index]!), code)))
  const { PATH = '', HOME = folder } = process.env
  const env = { PATH, HOME, LANG: 'C.UTF-8', ...environment }
  let output = ''
  for (const [program, ...args] of listCommands(files)) {
    const { stdout } = await execute(program, args, { cwd: folder, env, timeout: 600_000 })
    output += stdout
  }
  return output
}
