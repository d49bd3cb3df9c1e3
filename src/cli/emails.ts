import { setTimeout as sleep } from 'node:timers/promises'
import type { LetterRecord, Store } from '../index.js'
import type { Invocation } from './command.js'
import { PROGRAM } from './program.js'
import { instant } from './table.js'

/** A letter as scripts get it: without the hashes of what it brings. */
export type LetterInfo = Pick<LetterRecord, 'id' | 'applicationId' | 'purpose' | 'state' | 'attempts' | 'problem'> & {
  readonly dueAt: Date
}

/** Milliseconds to wait for the mail server. */
const PATIENCE = 15_000
/** Milliseconds between two looks. */
const PAUSE = 50
/** More than anybody reads. */
const MOST = 1000

/** The letters that are still to be sent, were given up, or wait to be claimed: those of one application, or all. */
export async function lettersOf(store: Store, applicationId?: string): Promise<LetterInfo[]> {
  const letters = await store.listLetters({ applicationId, state: undefined, limit: MOST })
  return letters.map(toLetterInfo)
}

/**
 * What has become of the letters that a command has put out: none is left where all were accepted. Where they are sent
 * from here it waits until each has been tried.
 */
export async function followLetters(
  { store, sends }: Pick<Invocation, 'store' | 'sends'>,
  applicationId: string | undefined,
  concerns: (letter: LetterRecord) => boolean = () => true,
): Promise<LetterInfo[]> {
  for (const start = Date.now(); ; await sleep(PAUSE)) {
    const letters = await store.listLetters({ applicationId, state: undefined, limit: MOST })
    const ours = letters.filter((letter) => concerns(letter) && letter.state !== 'claimable')
    if (!sends || !ours.some(isUnderWay) || Date.now() - start > PATIENCE) return ours.map(toLetterInfo)
  }
}

/** What has become of an application's letter, in a sentence. */
export function tellOf(applicationId: string, letters: readonly LetterInfo[], sends: boolean): string {
  const [letter] = letters
  if (!letter) return 'The mail server has accepted its letter.'
  if (letter.state === 'held') return `Its letter is sent once it is approved: ${PROGRAM} apps approve ${applicationId}`
  if (!sends) return 'A running server that has a mailer sends its letter.'
  const problem = letter.problem ?? 'no answer yet'
  return letter.state === 'failed'
    ? `The mail server has refused its letter (${problem}). See to the cause, then: ${PROGRAM} mail retry ${applicationId}`
    : `The mail server has not accepted its letter yet (${problem}). Running servers try again, next at ${instant(letter.dueAt)}.`
}

function isUnderWay({ state, attempts, leasedUntil }: LetterRecord): boolean {
  return state === 'due' && (attempts === 0 || leasedUntil > Date.now())
}

function toLetterInfo({ id, applicationId, purpose, state, attempts, problem, dueAt }: LetterRecord): LetterInfo {
  return { id, applicationId, purpose, state, attempts, problem, dueAt: new Date(dueAt) }
}
