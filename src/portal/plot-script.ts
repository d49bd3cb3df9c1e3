import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

/**
 * The script that draws the plots, which the build has bundled with uPlot. Empty if it is not there, as in an app that was
 * bundled without the package's files: then the pages show the tables only.
 */
export function loadPlotScript(): string {
  // Undefined in a bundle in CommonJS format.
  const here = import.meta.dirname as string | undefined
  if (here === undefined) return ''
  // Two folders above the file of dist/esm or dist/cjs that this becomes a part of; the second candidate serves tests of the source.
  const file = ['../../assets', '../../dist/assets'].map((path) => join(here, path, 'plots.js.gz')).find(existsSync)
  return file === undefined ? '' : gunzipSync(readFileSync(file)).toString()
}
