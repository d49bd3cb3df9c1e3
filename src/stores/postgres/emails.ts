import type { LetterChange, LetterQuery, LetterRecord } from '../../contracts/store.js'
import { prepared } from './connection.js'
import type { Sql } from './connection.js'
import { LETTER_COLUMNS, letterFrom, letterValues } from '../sql/rows.js'
import type { LetterRow } from '../sql/rows.js'

/** Does what is asked to an application's letters, if the stored version allows it; to be called in a transaction. */
export async function changeLetters(sql: Sql, applicationId: string, change: LetterChange): Promise<boolean> {
  if (change === 'removeAll') {
    await sql.run('DELETE FROM platform_auth_letters WHERE application_id = $1', applicationId)
    return true
  }
  if ('save' in change) return writeLetter(sql, change.save)
  const { id, version } = change.remove
  return (await sql.run('DELETE FROM platform_auth_letters WHERE id = $1 AND version = $2', id, version)) === 1
}

/** Writes the letter if the stored version is the one before; to be called in a transaction. */
export async function writeLetter(sql: Sql, letter: LetterRecord): Promise<boolean> {
  const { id, version } = letter
  const written =
    version === 1
      ? await sql.get<{ seq: number }>(INSERT, ...letterValues(letter))
      : await sql.get<{ seq: number }>(UPDATE, ...letterValues(letter), id, version - 1)
  if (!written) return false
  await sql.run('DELETE FROM platform_auth_letter_claims WHERE letter_seq = $1', written.seq)
  const hashes = [...new Set(letter.claims.map(({ hash }) => hash))]
  const text = 'INSERT INTO platform_auth_letter_claims (hash, letter_seq) SELECT unnest($1::text[]), $2'
  if (hashes.length > 0) await sql.run(text, hashes, written.seq)
  return true
}

const COLUMNS = LETTER_COLUMNS.join()
const MARKS = LETTER_COLUMNS.map((_, i) => `$${i + 1}`).join()
const INSERT = `
  INSERT INTO platform_auth_letters (${COLUMNS}) VALUES (${MARKS}) ON CONFLICT (id) DO NOTHING RETURNING seq`
const UPDATE = `
  UPDATE platform_auth_letters SET (${COLUMNS}) = (${MARKS})
  WHERE id = $${LETTER_COLUMNS.length + 1} AND version = $${LETTER_COLUMNS.length + 2} RETURNING seq`

/** A look, which costs no transaction: mostly there is nothing to lease. */
export async function isLetterDue(sql: Sql, now: number): Promise<boolean> {
  return (await sql.get(IS_DUE, now)) !== undefined
}

const DUE = `FROM platform_auth_letters WHERE state = 'due' AND due_at <= $1 AND leased_until <= $1`
const IS_DUE = prepared(`SELECT 1 ${DUE} LIMIT 1`)

/** To be called in a transaction. Who leases at the same time gets the next one, without waiting. */
export async function leaseLetter(sql: Sql, now: number, until: number): Promise<LetterRecord | undefined> {
  const text = `
    UPDATE platform_auth_letters SET leased_until = $2, version = version + 1
    WHERE seq = (SELECT seq ${DUE} ORDER BY due_at, seq LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING ${COLUMNS}`
  const row = await sql.get<LetterRow>(text, now, until)
  return row && letterFrom(row)
}

export async function findLetterByClaim(sql: Sql, hash: string): Promise<LetterRecord | undefined> {
  const text = `
    SELECT ${COLUMNS} FROM platform_auth_letters
    WHERE seq = (SELECT letter_seq FROM platform_auth_letter_claims WHERE hash = $1 LIMIT 1)`
  const row = await sql.get<LetterRow>(text, hash)
  return row && letterFrom(row)
}

export async function listLetters(sql: Sql, query: LetterQuery): Promise<readonly LetterRecord[]> {
  const { applicationId, state, limit } = query
  const wanted = [
    applicationId === undefined ? undefined : 'application_id = $2',
    state === undefined ? undefined : `state = $${applicationId === undefined ? 2 : 3}`,
  ].filter((condition) => condition !== undefined)
  const where = wanted.length > 0 ? `WHERE ${wanted.join(' AND ')}` : ''
  const values = [applicationId, state].filter((value) => value !== undefined)
  const text = `SELECT ${COLUMNS} FROM platform_auth_letters ${where} ORDER BY due_at, seq LIMIT $1`
  return (await sql.all<LetterRow>(text, limit, ...values)).map(letterFrom)
}
