import { createRequire } from 'node:module'
import { join } from 'node:path'

// Undefined in a bundle in CommonJS format.
const here = (import.meta.dirname as string | undefined) ?? process.cwd()

/** Loads an optional package when it is needed. Unlike `import()`, it succeeds after a failure, such as a file descriptor that was missing. */
export const require: NodeJS.Require = createRequire(join(here, 'package.js'))
