import { existsSync } from 'node:fs'
import { extname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { PlatformAuthOptions } from '../index.js'
import { reasonOf, RefusedError } from './failure.js'

/** The options that a module exports as its default: themselves, a promise of them, or a function of either. */
export async function optionsFrom(path: string): Promise<PlatformAuthOptions> {
  const file = resolve(path)
  if (!existsSync(file)) throw new RefusedError(`--config: there is no file ${file}.`)
  const exported = await load(file)
  const options: unknown = await (typeof exported === 'function' ? (exported as () => unknown)() : exported)
  if (typeof options !== 'object' || options === null) {
    throw new RefusedError(
      `--config: ${file} has no options as its default export. Write: export default { baseUrl, apis, store, secret }`,
    )
  }
  if ('router' in options && 'applications' in options) {
    throw new RefusedError(
      `--config: ${file} exports a platform that is made already. Export the options that createPlatformAuth() is given.`,
    )
  }
  return options as PlatformAuthOptions
}

async function load(file: string): Promise<unknown> {
  try {
    const module = (await import(pathToFileURL(file).href)) as { default?: unknown }
    const exported = module.default
    // What TypeScript makes of `export default` in CommonJS.
    const compiled = typeof exported === 'object' && exported !== null && '__esModule' in exported
    return compiled && 'default' in exported ? exported.default : exported
  } catch (cause) {
    const { code } = cause as { code?: unknown }
    if (code === 'ERR_UNKNOWN_FILE_EXTENSION' && extname(file).endsWith('ts')) {
      throw new RefusedError(
        `--config: Node ${process.versions.node} does not load ${extname(file)} files by itself; 22.18 and 24 do. Compile it, or run node with --import tsx.`,
        { cause },
      )
    }
    throw new RefusedError(`--config: ${file} could not be loaded: ${reasonOf(cause)}`, { cause })
  }
}
