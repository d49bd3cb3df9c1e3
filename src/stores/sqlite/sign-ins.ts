import type { SignIn, SignOut } from '../../contracts/sign-ins.js'
import { parseSignIn, parseSignOut, readContactOf, type SignInRow, type SignOutRow } from '../sql/sign-in-rows.js'
import type { Sql } from './connection.js'

/** How many expired rows one call deletes: more than it adds, but not so many that it takes long. */
const MAX_DELETED_PER_CALL = 100

const COLUMNS = 'id, contact, link_hash, code_hash, guesses, application_id, created_at, expires_at'

/** Must be called in a transaction. */
export function addSignIn(sql: Sql, signIn: SignIn): void {
  const { id, contact, linkHash, codeHash = null, guesses, applicationId = null, createdAt, expiresAt } = signIn
  sql.run(
    `INSERT INTO platform_auth_sign_ins (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    id,
    contact,
    linkHash,
    codeHash,
    guesses,
    applicationId,
    createdAt,
    expiresAt,
  )
  const deleteExpired = `
    DELETE FROM platform_auth_sign_ins WHERE id IN (
      SELECT id FROM platform_auth_sign_ins WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`
  sql.run(deleteExpired, createdAt, MAX_DELETED_PER_CALL)
}

export function findSignInByLink(sql: Sql, linkHash: string): SignIn | undefined {
  const row = sql.get<SignInRow>(`SELECT ${COLUMNS} FROM platform_auth_sign_ins WHERE link_hash = ?`, linkHash)
  return row && parseSignIn(row)
}

export function countSignInGuess(sql: Sql, id: string): SignIn | undefined {
  sql.run('UPDATE platform_auth_sign_ins SET guesses = guesses + 1 WHERE id = ?', id)
  const row = sql.get<SignInRow>(`SELECT ${COLUMNS} FROM platform_auth_sign_ins WHERE id = ?`, id)
  return row && parseSignIn(row)
}

export function removeSignIn(sql: Sql, id: string): boolean {
  return sql.run('DELETE FROM platform_auth_sign_ins WHERE id = ?', id) === 1
}

/** Must be called in a transaction. */
export function addSignOut(sql: Sql, signOut: SignOut): void {
  const { subject, nonce, at, expiresAt } = signOut
  const upsert = `
    INSERT INTO platform_auth_sign_outs (subject, nonce, at, expires_at) VALUES (?, ?, ?, ?)
    ON CONFLICT (subject) DO UPDATE
    SET nonce = excluded.nonce, at = max(excluded.at, platform_auth_sign_outs.at + 1), expires_at = excluded.expires_at`
  sql.run(upsert, subject, nonce, at, expiresAt)
  const contact = readContactOf(signOut)
  if (contact !== undefined) sql.run('DELETE FROM platform_auth_sign_ins WHERE contact = ?', contact)
  const deleteExpired = `
    DELETE FROM platform_auth_sign_outs WHERE subject IN (
      SELECT subject FROM platform_auth_sign_outs WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`
  sql.run(deleteExpired, at, MAX_DELETED_PER_CALL)
}

export function listSignOuts(sql: Sql, subjects: readonly string[]): readonly SignOut[] {
  const text = 'SELECT subject, nonce, at, expires_at FROM platform_auth_sign_outs WHERE subject = ?'
  return subjects.flatMap((subject) => sql.all<SignOutRow>(text, subject)).map(parseSignOut)
}
