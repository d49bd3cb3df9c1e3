import { createRequire } from 'node:module'
import { join } from 'node:path'

/** Undefined in a bundle in CommonJS format, which has a folder of its own. */
const here: string | undefined = import.meta.dirname
const folders = here === undefined ? [...(typeof __dirname === 'string' ? [__dirname] : []), process.cwd()] : [here]
const load = createRequire(join(folders[0]!, 'package.js'))

/** Loads an optional package when it is needed. Unlike `import()`, it succeeds after a failure, such as a file descriptor that was missing. */
export const require = (name: string): unknown => load(load.resolve(name, { paths: folders }))
