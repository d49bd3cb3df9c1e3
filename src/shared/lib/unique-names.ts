/** Gives each text a name of its own: `name`, `name-2`. Thousands of equal texts take no longer than others. */
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
