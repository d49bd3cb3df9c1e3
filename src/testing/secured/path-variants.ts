/** Other spellings of a path. Express, or middleware before it, may take each for the same path; a check of the text does not. */
export function listPathVariants(
  target: string,
  runsFunctions = true,
): readonly { readonly name: string; readonly target: string }[] {
  const variants = [
    { name: 'in capital letters', target: target.toUpperCase() },
    { name: 'with a slash at the end', target: `${target.replace(/\/$/, '')}/` },
    { name: 'with a second slash at the start', target: `/${target}` },
    { name: DOUBLED, target: target.replaceAll(/(?<=.)\//g, '//') },
    { name: 'with its first segment percent-encoded', target: target.replace(/[A-Za-z]/, encode) },
    { name: 'with its last segment percent-encoded', target: target.replace(/[A-Za-z](?=[^/]*$)/, encode) },
    { name: 'with a dot segment', target: `/.${target}` },
    { name: 'with a query', target: `${target}?x=1` },
    { name: 'with the origin', target: `http://localhost${target}` },
  ]
  // Only routers of other frameworks, which functions hide, take two slashes for one.
  return variants.filter((variant) => variant.target !== target && (runsFunctions || variant.name !== DOUBLED))
}

const DOUBLED = 'with two slashes between its segments'

function encode(letter: string): string {
  return `%${letter.charCodeAt(0).toString(16)}`
}
