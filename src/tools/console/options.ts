import { ConfigurationError } from '../../index.js'
import { ownMembers } from '../../shared/lib/own-members.js'

/** The options of `developerConsole()`. */
export interface DeveloperConsoleOptions<Name extends string = string> {
  /**
   * OpenAPI 3.0, 3.1 or 3.2 documents by API name, as objects or as paths of JSON or YAML files. YAML needs the package `yaml`.
   * `{ document, prefix: '/orders' }` takes what a document of several APIs has below a path.
   * Their paths are relative to `{baseUrl}/{api}`; `servers` and `securitySchemes` are filled in. An API without a document has no reference.
   */
  readonly documents?: { readonly [api in Name]?: object | string | undefined } | undefined
  /** The console's title; `Developer console` by default, in the reader's language. */
  readonly title?: string | undefined
  /** Whether applications can register at `/register`; true by default. It also needs `registration()`, a feature of the platform. */
  readonly registration?: boolean | undefined
  /**
   * Guides: a pattern of Markdown files in one folder, such as `docs/guides/*.md`, relative to the working directory of the process.
   * Shown at `/guides/{name}` in the order of their names, with their first heading as title. They are read once, at the start.
   */
  readonly guides?: string | undefined
  /** The path of a Markdown file, such as `CHANGELOG.md`, shown at `/changelog`. */
  readonly changelog?: string | undefined
}

const NAMES = ['documents', 'title', 'registration', 'guides', 'changelog']

/** The options with their defaults. `documents`, `guides` and `changelog` are checked where their files are read. */
export function readConsoleOptions(options: DeveloperConsoleOptions) {
  const own = ownMembers(options)
  const unknown = Object.keys(own).find((name) => !NAMES.includes(name))
  if (unknown !== undefined)
    throw new ConfigurationError({
      option: unknown,
      problem: 'is not an option',
      fix: `There are: ${NAMES.join(', ')}.`,
    })
  const { documents = {}, title, registration = true, guides, changelog } = own
  if (title !== undefined && typeof title !== 'string')
    throw new ConfigurationError({
      option: 'title',
      problem: 'is not a string',
      fix: 'Write title: "Shop developers".',
    })
  return { documents, title, registration, guides, changelog }
}
