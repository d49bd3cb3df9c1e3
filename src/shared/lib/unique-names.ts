/**
 * Gives each text a name of its own: `name`, then `name-2`, `name-3`. It remembers the last number of each, so that thousands of
 * equal texts take no longer than different ones.
 */
export function createUniqueNames(taken: Iterable<string> = [], firstNumber = 2): (text: string) => string {
  const names = new Set(taken)
  const numbers = new Map<string, number>()
  return function claimName(text) {
    let name = text
    while (names.has(name)) {
      const number = numbers.get(text) ?? firstNumber
      numbers.set(text, number + 1)
      name = `${text}-${number}`
    }
    names.add(name)
    return name
  }
}
