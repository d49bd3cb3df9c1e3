/** A word as a POSIX shell reads it back: unchanged where nothing in it is special, otherwise in single quotes. */
export function shellQuote(word: string): string {
  return /^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
