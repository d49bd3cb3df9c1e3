/** Values that ids may have, and that code may treat as words of its own. */
const IDS = [
  '1',
  '12345',
  '1.css',
  '1.js',
  'all',
  'default',
  'latest',
  'me',
  'new',
  'public',
  '00000000-0000-4000-8000-000000000000',
]

/** The path with other values for its parameters. `path` is that of the route, such as `/orders/items/:id`. */
export function listOtherIds(path: string, given: Readonly<Record<string, string>>): string[] {
  // Any other value would not do.
  if ([...path.matchAll(/:(\w+)/g)].some(([, name]) => Object.hasOwn(given, name!))) return []
  const isPlain = /^(?:\/(?:[\w.-]+|:\w+))+$/.test(path) && path.includes('/:')
  return isPlain ? IDS.map((id) => path.replaceAll(/:\w+/g, id)) : []
}

/** Other spellings of a path. Express, middleware before it or a framework's router may take each for the same path. */
export function listSpellings(target: string): readonly { readonly name: string; readonly target: string }[] {
  const end = target.lastIndexOf('/')
  const variants = [
    { name: 'in capital letters', target: target.toUpperCase() },
    { name: 'with a slash at the end', target: `${target.replace(/\/$/, '')}/` },
    { name: 'with a second slash at the start', target: `/${target}` },
    { name: 'with two slashes between its segments', target: target.replaceAll(/(?<=.)\//g, '//') },
    { name: 'with a second slash at the end', target: `${target}//` },
    { name: 'with its first segment percent-encoded', target: target.replace(/[A-Za-z]/, encode) },
    { name: 'with its last segment percent-encoded', target: target.replace(/[A-Za-z](?=[^/]*$)/, encode) },
    { name: 'with a percent-encoded slash', target: `${target.slice(0, end)}%2F${target.slice(end + 1)}` },
    { name: 'with a dot segment', target: `/.${target}` },
    { name: 'with a dot segment of two dots', target: `/x/..${target}` },
    { name: 'with a dot segment at its last slash', target: `${target.slice(0, end)}/.${target.slice(end)}` },
    { name: 'with a query', target: `${target}?x=1` },
    { name: 'with the origin', target: `http://localhost${target}` },
  ]
  // %2F instead of the only slash would be no path.
  return variants.filter((variant) => variant.target !== target && /^(?:\/|http:)/.test(variant.target))
}

function encode(letter: string): string {
  return `%${letter.charCodeAt(0).toString(16)}`
}
