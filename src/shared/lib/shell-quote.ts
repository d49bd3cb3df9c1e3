/** A word for a POSIX shell's command line: in single quotes, unless nothing in it is special. `~` is special at the beginning. */
export function shellQuote(word: string): string {
  return /^(?!~)[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
