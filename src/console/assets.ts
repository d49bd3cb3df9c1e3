import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { ConfigurationError } from '../index.js'

/** A file that pages load, by an address that changes with its content. */
export interface Asset {
  /** Below the console's own address. */
  readonly path: string
  readonly type: string
  readonly gzipped: Buffer
  /** For whoever does not accept gzip. */
  plain(): Buffer
}

export type Assets = Readonly<Record<(typeof NAMES)[number], Asset>>

const NAMES = ['console.css', 'console.js', 'icon.svg', 'reference.css', 'reference.js', 'swagger-ui.js'] as const
const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
}

let loaded: Assets | undefined

/** The pages' files, as the build has compressed them: read once, whatever the number of consoles. */
export function loadAssets(): Assets {
  const folder = folderOfAssets()
  loaded ??= Object.fromEntries(NAMES.map((name) => [name, loadAsset(folder, name)])) as Assets
  return loaded
}

/** dist/assets: two folders above either copy of this file, and elsewhere where the tests run its source. */
function folderOfAssets(): string {
  const places = ['../../assets', '../../dist/assets'].map((place) => join(import.meta.dirname, place))
  const folder = places.find((place) => existsSync(place))
  if (folder !== undefined) return folder
  throw new ConfigurationError({
    problem: `The console's files are not in ${places[0]}`,
    fix: 'If your app is bundled, leave express-platform-auth out of the bundle.',
  })
}

function loadAsset(folder: string, name: string): Asset {
  const gzipped = readFileSync(join(folder, `${name}.gz`))
  const hash = createHash('sha256').update(gzipped).digest('hex').slice(0, 16)
  const extension = name.slice(name.lastIndexOf('.') + 1)
  return {
    path: `assets/${name.slice(0, -extension.length)}${hash}.${extension}`,
    type: TYPES[extension]!,
    gzipped,
    plain: () => gunzipSync(gzipped),
  }
}
