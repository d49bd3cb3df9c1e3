import type { LetterChange, LetterQuery, LetterRecord } from '../../contracts/store.js'
import { LETTER_COLUMNS, letterFrom, letterValues } from '../sql/rows.js'
import type { LetterRow } from '../sql/rows.js'
import type { Sql } from './connection.js'

/** Does what is asked to an application's letters, if the stored version allows it; to be called in a transaction. */
export function changeLetters(sql: Sql, applicationId: string, change: LetterChange): boolean {
  if (change === 'removeAll') {
    const text = 'SELECT seq FROM platform_auth_letters WHERE application_id = ?'
    for (const { seq } of sql.all<{ seq: number }>(text, applicationId)) remove(sql, seq)
    return true
  }
  if ('save' in change) return writeLetter(sql, change.save)
  const { id, version } = change.remove
  const text = 'SELECT seq FROM platform_auth_letters WHERE id = ? AND version = ?'
  const stored = sql.get<{ seq: number }>(text, id, version)
  if (stored) remove(sql, stored.seq)
  return stored !== undefined
}

/** Writes the letter if the stored version is the one before; to be called in a transaction. */
export function writeLetter(sql: Sql, letter: LetterRecord): boolean {
  const { id, version } = letter
  const written =
    version === 1
      ? sql.get<{ seq: number }>(INSERT, ...letterValues(letter))
      : sql.get<{ seq: number }>(UPDATE, ...letterValues(letter), id, version - 1)
  if (!written) return false
  sql.run('DELETE FROM platform_auth_letter_claims WHERE letter_seq = ?', written.seq)
  const text = 'INSERT INTO platform_auth_letter_claims (hash, letter_seq) VALUES (?, ?)'
  for (const { hash } of letter.claims) sql.run(text, hash, written.seq)
  return true
}

const MARKS = LETTER_COLUMNS.map(() => '?').join()
const INSERT = `
  INSERT INTO platform_auth_letters (${LETTER_COLUMNS.join()}) VALUES (${MARKS})
  ON CONFLICT (id) DO NOTHING RETURNING seq`
const UPDATE = `
  UPDATE platform_auth_letters SET (${LETTER_COLUMNS.join()}) = (${MARKS}) WHERE id = ? AND version = ? RETURNING seq`

/** A look, for which nobody has to wait: mostly there is nothing to lease. */
export function isLetterDue(sql: Sql, now: number): boolean {
  return sql.get(`SELECT 1 ${NEXT_DUE}`, now, now) !== undefined
}

/** To be called in a transaction. */
export function leaseLetter(sql: Sql, now: number, until: number): LetterRecord | undefined {
  const text = `
    UPDATE platform_auth_letters SET leased_until = ?, version = version + 1 WHERE seq = (SELECT seq ${NEXT_DUE})
    RETURNING *`
  const row = sql.get<LetterRow>(text, until, now, now)
  return row && letterFrom(row)
}

const NEXT_DUE = `
  FROM platform_auth_letters WHERE state = 'due' AND due_at <= ? AND leased_until <= ? ORDER BY due_at, seq LIMIT 1`

export function findLetterByClaim(sql: Sql, hash: string): LetterRecord | undefined {
  const text = `
    SELECT * FROM platform_auth_letters
    WHERE seq = (SELECT letter_seq FROM platform_auth_letter_claims WHERE hash = ? LIMIT 1)`
  const row = sql.get<LetterRow>(text, hash)
  return row && letterFrom(row)
}

export function listLetters(sql: Sql, { applicationId, state, limit }: LetterQuery): readonly LetterRecord[] {
  const wanted = [
    applicationId === undefined ? undefined : 'application_id = ?',
    state === undefined ? undefined : 'state = ?',
  ].filter((condition) => condition !== undefined)
  const where = wanted.length > 0 ? `WHERE ${wanted.join(' AND ')}` : ''
  const values = [applicationId, state].filter((value) => value !== undefined)
  const text = `SELECT * FROM platform_auth_letters ${where} ORDER BY due_at, seq LIMIT ?`
  return sql.all<LetterRow>(text, ...values, limit).map(letterFrom)
}

function remove(sql: Sql, seq: number): void {
  sql.run('DELETE FROM platform_auth_letter_claims WHERE letter_seq = ?', seq)
  sql.run('DELETE FROM platform_auth_letters WHERE seq = ?', seq)
}
