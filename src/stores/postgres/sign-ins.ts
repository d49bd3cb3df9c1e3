import type { SignIn, SignOut } from '../../contracts/sign-ins.js'
import { parseSignIn, parseSignOut, readContactOf, type SignInRow, type SignOutRow } from '../sql/sign-in-rows.js'
import { prepareStatement, type Sql } from './connection.js'

/** How many expired rows one call deletes: more than it adds, but not so many that it takes long. */
const MAX_DELETED_PER_CALL = 100

const COLUMNS = 'id, contact, link_hash, code_hash, guesses, application_id, created_at, expires_at'

/** Must be called in a transaction. */
export async function addSignIn(sql: Sql, signIn: SignIn): Promise<void> {
  const { id, contact, linkHash, codeHash, guesses, applicationId, createdAt, expiresAt } = signIn
  await sql.run(
    `INSERT INTO platform_auth_sign_ins (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    id,
    contact,
    linkHash,
    codeHash,
    guesses,
    applicationId,
    createdAt,
    expiresAt,
  )
  // Rows that another transaction is deleting are skipped: there is no need to wait for them.
  const deleteExpired = `
    DELETE FROM platform_auth_sign_ins WHERE id IN (
      SELECT id FROM platform_auth_sign_ins WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED)`
  await sql.run(deleteExpired, createdAt, MAX_DELETED_PER_CALL)
}

export async function findSignInByLink(sql: Sql, linkHash: string): Promise<SignIn | undefined> {
  const text = `SELECT ${COLUMNS} FROM platform_auth_sign_ins WHERE link_hash = $1`
  const row = await sql.get<SignInRow>(text, linkHash)
  return row && parseSignIn(row)
}

export async function countSignInGuess(sql: Sql, id: string): Promise<SignIn | undefined> {
  const text = `UPDATE platform_auth_sign_ins SET guesses = guesses + 1 WHERE id = $1 RETURNING ${COLUMNS}`
  const row = await sql.get<SignInRow>(text, id)
  return row && parseSignIn(row)
}

export async function removeSignIn(sql: Sql, id: string): Promise<boolean> {
  return (await sql.run('DELETE FROM platform_auth_sign_ins WHERE id = $1', id)) === 1
}

/** Must be called in a transaction. */
export async function addSignOut(sql: Sql, signOut: SignOut): Promise<void> {
  const { subject, nonce, at, expiresAt } = signOut
  const upsert = `
    INSERT INTO platform_auth_sign_outs (subject, nonce, at, expires_at) VALUES ($1, $2, $3, $4)
    ON CONFLICT (subject) DO UPDATE
    SET nonce = excluded.nonce, at = greatest(excluded.at, platform_auth_sign_outs.at + 1), expires_at = excluded.expires_at`
  await sql.run(upsert, subject, nonce, at, expiresAt)
  const contact = readContactOf(signOut)
  if (contact !== undefined) await sql.run('DELETE FROM platform_auth_sign_ins WHERE contact = $1', contact)
  // Rows that another transaction is deleting are skipped: there is no need to wait for them.
  const deleteExpired = `
    DELETE FROM platform_auth_sign_outs WHERE subject IN (
      SELECT subject FROM platform_auth_sign_outs WHERE expires_at <= $1
      ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED)`
  await sql.run(deleteExpired, at, MAX_DELETED_PER_CALL)
}

export async function listSignOuts(sql: Sql, subjects: readonly string[]): Promise<readonly SignOut[]> {
  return (await sql.all<SignOutRow>(LIST_SIGN_OUTS, subjects)).map(parseSignOut)
}

const LIST_SIGN_OUTS = prepareStatement(
  'SELECT subject, nonce, at, expires_at FROM platform_auth_sign_outs WHERE subject = ANY($1)',
)
