import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { ConfigurationError } from '../../index.js'
import type { Resource } from './router.js'

const IMMUTABLE = { 'Cache-Control': 'public, max-age=31536000, immutable' }

export interface Asset extends Resource {
  readonly path: string
}

export type Assets = Readonly<Record<(typeof NAMES)[number], Asset>>

const NAMES = [
  'calls.js',
  'console.css',
  'console.js',
  'first-use.js',
  'icon.svg',
  'reading.css',
  'reference.css',
  'reference.js',
] as const
const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
}

let loaded: Assets | undefined

export function loadAssets(): Assets {
  const folder = findAssetsFolder()
  loaded ??= Object.fromEntries(NAMES.map((name) => [name, loadAsset(folder, name)])) as Assets
  return loaded
}

/** dist/assets, from the file of dist/esm or dist/cjs that this becomes a part of; or from the source, for tests. */
function findAssetsFolder(): string {
  // Undefined in a bundle in CommonJS format.
  const here = import.meta.dirname as string | undefined
  const candidates =
    here === undefined ? [] : ['../../../assets', '../../../dist/assets'].map((path) => join(here, path))
  const folder = candidates.find((path) => existsSync(path))
  if (folder !== undefined) return folder
  throw new ConfigurationError({
    problem: `The console does not find its files${candidates[0] === undefined ? '' : ` in ${candidates[0]}`}`,
    fix: 'If your app is bundled, keep the package external: leave express-platform-auth out of the bundle, and install it where the bundle runs.',
  })
}

function loadAsset(folder: string, name: string): Asset {
  const gzipped = readFileSync(join(folder, `${name}.gz`))
  const hash = createHash('sha256').update(gzipped).digest('hex').slice(0, 16)
  const extension = name.slice(name.lastIndexOf('.') + 1)
  return {
    path: `assets/${name.slice(0, -extension.length)}${hash}.${extension}`,
    type: TYPES[extension]!,
    headers: IMMUTABLE,
    gzipped,
    plain: () => gunzipSync(gzipped),
  }
}
