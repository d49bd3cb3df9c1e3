import { createReadStream } from 'node:fs'
import { command, option } from '../command.js'
import { CommandError, describeError, EXIT_CODES } from '../errors.js'
import { replaceControlCharacters } from '../format.js'
import { requireFeature } from '../target.js'

export const importCommand = command({
  name: 'apps import',
  summary:
    'Adds applications of another system with the keys and secrets that they have: one JSON object per line of FILE.',
  notes: [
    'Without --confirm it checks every line and changes nothing. A line that is wrong is reported with its number, and the others are imported; the exit code is then 1.',
    'Run it again after an interruption: an application that is there already is left as it is. The options must have imports().',
  ],
  parameters: ['FILE'],
  requires: 'options',
  options: { confirm: option.flag('Imports. Without it, nothing is changed.') },
  example: 'apps import partners.ndjson --config platform.js --confirm',
  async run({ platform, by, print, parameters: [file], values: { confirm } }) {
    const onLine = (line: number): Promise<void> | undefined =>
      line % PROGRESS_LINES === 0 ? print({ items: [], formatText: () => `${line} lines read.` }) : undefined
    const summary = await requireFeature(platform, 'imports').run(readLines(file, onLine), {
      confirm,
      by,
      onRefused: (line, reason) =>
        print({ items: [{ line, reason }], formatText: () => `Line ${line}: ${replaceControlCharacters(reason)}` }),
    })
    const { read, added, unchanged, refused } = summary
    const counts = `${confirm ? `${added} added` : `${added} would be added`}, ${unchanged} there already, ${refused} refused.`
    const hint = confirm ? '' : '\nNothing was changed. To import: --confirm'
    return {
      parts: [{ items: [summary], formatText: () => `${read === 1 ? '1 line' : `${read} lines`}: ${counts}${hint}` }],
      exitCode: refused > 0 ? EXIT_CODES.failed : EXIT_CODES.done,
    }
  },
})

const PROGRESS_LINES = 100_000
/** The command line reads more than a line may have, so that a longer one is refused, and is not held in memory. */
const MAX_KEPT_CHARACTERS = 100_000

/** The lines of a file, in bounded memory: of a line that is too long only the beginning is kept. */
async function* readLines(file: string, onLine: (line: number) => Promise<void> | undefined): AsyncGenerator<string> {
  let line = 0
  let rest = ''
  try {
    for await (const chunk of createReadStream(file, 'utf8') as AsyncIterable<string>) {
      const [first = '', ...others] = chunk.split('\n')
      rest = (rest + first).slice(0, MAX_KEPT_CHARACTERS)
      for (const next of others) {
        yield removeByteOrderMark(rest, line)
        line += 1
        await onLine(line)
        rest = next
      }
    }
  } catch (cause) {
    throw new CommandError(`${file} could not be read: ${describeError(cause)}`, { cause })
  }
  if (rest !== '') yield removeByteOrderMark(rest, line)
}

function removeByteOrderMark(text: string, line: number): string {
  return line === 0 ? text.replace(/^\u{FEFF}/u, '') : text
}
