/** Values that ids may have, and that code may treat as words of its own. */
const IDS = '1 12345 1.css 1.js all default latest me new public 00000000-0000-4000-8000-000000000000'.split(' ')

export interface Spelling {
  readonly name: string
  readonly target: string
  /** A random address in the same spelling, which the app may refuse everywhere. */
  readonly unknownTarget?: string
}

/** The path with other values for its parameters. `path` is that of the route, such as `/orders/items/:id`. */
export function listOtherIds(path: string, given: Readonly<Record<string, string>>): Spelling[] {
  // Any other value would not do.
  if ([...path.matchAll(/:(\w+)/g)].some(([, name]) => Object.hasOwn(given, name!))) return []
  const isPlain = /^(?:\/(?:[\w.-]+|:\w+))+$/.test(path) && path.includes('/:')
  return isPlain ? IDS.map((id) => ({ name: 'with another id', target: path.replaceAll(/:\w+/g, id) })) : []
}

const encode = (letter: string): string => `%${letter.charCodeAt(0).toString(16)}`
const replaceLastSlash = (target: string, text: string): string => target.replace(/\/(?=[^/]*$)/, text)

const SPELLINGS: Readonly<Record<string, (target: string) => string>> = {
  'in capital letters': (target) => target.toUpperCase(),
  'with a slash at the end': (target) => `${target.replace(/\/$/, '')}/`,
  'with a second slash at the start': (target) => `/${target}`,
  'with two slashes between its segments': (target) => target.replaceAll(/(?<=.)\//g, '//'),
  'with a second slash at the end': (target) => `${target}//`,
  'with its first segment percent-encoded': (target) => target.replace(/[A-Za-z]/, encode),
  'with its last segment percent-encoded': (target) => target.replace(/[A-Za-z](?=[^/]*$)/, encode),
  'with a percent-encoded slash': (target) => replaceLastSlash(target, '%2F'),
  'with a dot segment': (target) => `/.${target}`,
  'with a dot segment of two dots': (target) => `/x/..${target}`,
  'with a dot segment at its last slash': (target) => replaceLastSlash(target, '/./'),
  'with the origin': (target) => `http://localhost${target}`,
}

/** Other spellings of a path. Express, middleware before it or a framework's router may take each for the same path. */
export function listSpellings(path: string, unknownPath: string): Spelling[] {
  const all = Object.entries(SPELLINGS).map(([name, spell]) => {
    return { name, target: spell(path), unknownTarget: spell(unknownPath) }
  })
  // %2F instead of the only slash would be no path.
  return all.filter(({ target }) => target !== path && /^(?:\/|http:)/.test(target))
}
