import { existsSync } from 'node:fs'
import { extname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { PlatformAuthOptions } from '../../index.js'
import { CommandError, describeError } from './errors.js'

/** The options that the module of `--config` exports as its default: the options, a promise of them, or a function of either. */
export async function loadOptions(path: string): Promise<PlatformAuthOptions> {
  const file = resolve(path)
  if (!existsSync(file)) throw new CommandError(`--config: there is no file ${file}.`)
  const exported = await importDefault(file)
  const options: unknown = await (typeof exported === 'function' ? (exported as () => unknown)() : exported)
  if (typeof options !== 'object' || options === null) {
    throw new CommandError(
      `--config: ${file} has no options as its default export. Write: export default { baseUrl, apis, store, secret }`,
    )
  }
  if ('router' in options && 'applications' in options) {
    throw new CommandError(
      `--config: ${file} exports a platform. Export the options that createPlatformAuth() takes instead.`,
    )
  }
  return options as PlatformAuthOptions
}

async function importDefault(file: string): Promise<unknown> {
  try {
    const module = (await import(pathToFileURL(file).href)) as { default?: unknown }
    const exported = module.default
    // TypeScript compiles `export default` to `exports.default` in CommonJS.
    const isCompiled = typeof exported === 'object' && exported !== null && '__esModule' in exported
    return isCompiled && 'default' in exported ? exported.default : exported
  } catch (cause) {
    const { code } = cause as { code?: unknown }
    if (code === 'ERR_UNKNOWN_FILE_EXTENSION' && extname(file).endsWith('ts')) {
      throw new CommandError(
        `--config: Node ${process.versions.node} does not load ${extname(file)} files by itself; 22.18 and 24 do. Compile it, or run node with --import tsx.`,
        { cause },
      )
    }
    // `npm init` writes "type": "commonjs", so that Node reads a file .js with an import as CommonJS.
    const hint =
      cause instanceof SyntaxError && extname(file) === '.js'
        ? '. If it has import or export, name it .mjs, or write "type": "module" into package.json'
        : ''
    throw new CommandError(`--config: ${file} could not be loaded: ${describeError(cause)}${hint}`, { cause })
  }
}
