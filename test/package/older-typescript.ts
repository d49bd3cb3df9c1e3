import { createRequire } from 'node:module'
import { basename, join, sep } from 'node:path'

/** Type-checks a folder's `tsconfig.json` and resolves the errors, each as `file.ts:line TS1234: message`. */
export type TypeCheck = (folder: string) => string[]

// What is used here of the API of TypeScript before 7.
interface SourceFile {
  readonly fileName: string
  getLineAndCharacterOfPosition(position: number): { readonly line: number }
}
interface Diagnostic {
  readonly code: number
  readonly messageText: unknown
  readonly file?: SourceFile
  readonly start?: number
}
interface Program {
  getSourceFiles(): readonly SourceFile[]
  getOptionsDiagnostics(): readonly Diagnostic[]
  getGlobalDiagnostics(): readonly Diagnostic[]
  getSyntacticDiagnostics(file: SourceFile): readonly Diagnostic[]
  getSemanticDiagnostics(file: SourceFile): readonly Diagnostic[]
}
interface Host {
  getSourceFile(name: string, language: { readonly impliedNodeFormat?: number }): SourceFile | undefined
  jsDocParsingMode: number
}
interface TypeScript {
  readonly sys: { readFile(path: string): string | undefined }
  readonly JSDocParsingMode: { readonly ParseForTypeErrors: number }
  readConfigFile(path: string, read: (path: string) => string | undefined): { readonly config: object }
  parseJsonConfigFileContent(
    config: object,
    host: object,
    folder: string,
  ): { readonly options: object; readonly fileNames: string[]; readonly errors: readonly Diagnostic[] }
  createCompilerHost(options: object): Host
  createProgram(files: string[], options: object, host: Host): Program
  flattenDiagnosticMessageText(text: unknown, newLine: string): string
}

/**
 * The compiler of TypeScript 5.6 in this process, which is a dependency of attw. TypeScript 7 has dropped node10 resolution,
 * which many projects still use, and does not compile the declarations of Node 18. Parsing takes most of the time, so
 * projects with the same options share the parsed files. Only the program and the declarations of this package are checked.
 */
export function createOlderTypeScript(): TypeCheck {
  const attw = createRequire(createRequire(import.meta.url).resolve('@arethetypeswrong/cli/package.json'))
  const core = createRequire(attw.resolve('@arethetypeswrong/core'))
  const ts = core('typescript') as TypeScript
  const parsed = new Map<string, SourceFile | undefined>()

  return (folder) => {
    const { config } = ts.readConfigFile(join(folder, 'tsconfig.json'), ts.sys.readFile)
    const { options, fileNames, errors } = ts.parseJsonConfigFileContent(config, ts.sys, folder)
    const host = ts.createCompilerHost(options)
    host.jsDocParsingMode = ts.JSDocParsingMode.ParseForTypeErrors
    const { getSourceFile } = host
    const settings = JSON.stringify({ ...options, configFilePath: undefined })
    host.getSourceFile = (name, language) => {
      const key = `${name} ${language.impliedNodeFormat} ${settings}`
      if (!parsed.has(key)) parsed.set(key, getSourceFile(name, language))
      return parsed.get(key)
    }
    const program = ts.createProgram(fileNames, options, host)
    const checked = program
      .getSourceFiles()
      .filter(({ fileName }) => !fileName.includes(`${sep}node_modules${sep}`) || fileName.includes(PACKAGE))
    const found = [
      ...errors,
      ...program.getOptionsDiagnostics(),
      ...program.getGlobalDiagnostics(),
      ...checked.flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]),
    ]
    return found.map(({ code, file, start = 0, messageText }) => {
      const line = file && file.getLineAndCharacterOfPosition(start).line + 1
      return `${basename(file?.fileName ?? '')}:${line} TS${code}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`
    })
  }
}

const PACKAGE = `${sep}node_modules${sep}express-platform-auth${sep}`
