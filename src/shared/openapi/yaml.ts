import { createRequire } from 'node:module'
import { join } from 'node:path'
import { ConfigurationError } from '../contracts/errors.js'

/** The part of the optional package `yaml` that is used. */
interface Yaml {
  parse(text: string, options: { merge: boolean; maxAliasCount: number }): unknown
}

/** Aliases that a document may use: each could be expanded to a large part of it. */
const MAX_ALIASES = 1000

/** The value of a YAML text. Throws `ConfigurationError` if the package is missing, and the parser's error for text that is not YAML. */
export function parseYaml(option: string, text: string): unknown {
  // Merge keys (<<) as in the parsers of other tools: without them an operation would lose a `security` that it shares.
  return loadYaml(option).parse(text, { merge: true, maxAliasCount: MAX_ALIASES })
}

/** Loads the package synchronously, since documents are read where options are. */
function loadYaml(option: string): Yaml {
  // Undefined in a bundle in CommonJS format.
  const here = (import.meta.dirname as string | undefined) ?? process.cwd()
  const require = createRequire(join(here, 'yaml.js'))
  try {
    return require('yaml') as Yaml
  } catch (cause) {
    throw new ConfigurationError(
      {
        option,
        problem: 'names a YAML file, which needs the package yaml, and that could not be loaded',
        fix: 'Run: npm install yaml. Or give a JSON file: npx js-yaml openapi.yaml > openapi.json',
      },
      { cause },
    )
  }
}
