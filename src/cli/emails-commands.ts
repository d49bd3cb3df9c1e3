import { command } from './command.js'
import { followLetters, lettersOf } from './emails.js'
import { EXAMPLE_ID } from './program.js'

/** `mail ...`: the letters that bring credentials. */
export const mailCommands = [
  command({
    name: 'mail retry',
    summary: 'Tries letters again that were given up: those of one application, or all.',
    notes: [
      'With --config they are sent from here, where the options have a mailer; with --db by a running server that has one.',
    ],
    parameters: ['[ID]'],
    needs: 'store',
    mails: () => true,
    example: `mail retry ${EXAMPLE_ID} --db platform.sqlite`,
    async run(invocation) {
      const { platform, store, sends, parameters } = invocation
      const [id] = parameters
      const failed = (await lettersOf(store, id)).filter(({ state }) => state === 'failed')
      const ids = new Set(failed.map((letter) => letter.id))
      const { retried } = await platform.outbox.retry(id)
      const letters = await followLetters(invocation, id, (letter) => ids.has(letter.id))
      const again = `${retried} ${retried === 1 ? 'letter is' : 'letters are'} tried again`
      const told = sends
        ? `${again}: ${retried - letters.length} accepted, ${letters.length} not.`
        : `${again} by a running server that has a mailer.`
      return { json: { retried, letters }, text: retried === 0 ? 'No letter was given up.' : told }
    },
  }),
]
