import type { SignIn, SignOut } from '../../shared/contracts/sign-ins.js'
import { MAX_EXPIRED_PER_CALL, type Dialect, all, get, run, type Work } from './work.js'
import { parseRow } from './rows.js'

const COLUMNS = `id, contact, link_hash AS "linkHash", code_hash AS "codeHash", guesses, application_id AS "applicationId",
  created_at AS "createdAt", expires_at AS "expiresAt"`

/** Must be called in a transaction. */
export function* addSignIn({ formatDelete }: Dialect, signIn: SignIn): Work<void> {
  const { id, contact, linkHash, codeHash, guesses, applicationId, createdAt, expiresAt } = signIn
  const insert = `
    INSERT INTO platform_auth_sign_ins
      (id, contact, link_hash, code_hash, guesses, application_id, created_at, expires_at)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)`
  yield* run(insert, id, contact, linkHash, codeHash, guesses, applicationId, createdAt, expiresAt)
  const deleteExpired = formatDelete('platform_auth_sign_ins', 'id', 'expires_at')
  yield* run(deleteExpired, createdAt + 1, MAX_EXPIRED_PER_CALL)
}

export function* findSignInByLink(linkHash: string): Work<SignIn | undefined> {
  const row = yield* get<object>(`SELECT ${COLUMNS} FROM platform_auth_sign_ins WHERE link_hash = ?1`, linkHash)
  return row && parseRow(row)
}

export function* countSignInGuess(id: string): Work<SignIn | undefined> {
  const text = `UPDATE platform_auth_sign_ins SET guesses = guesses + 1 WHERE id = ?1 RETURNING ${COLUMNS}`
  const row = yield* get<object>(text, id)
  return row && parseRow(row)
}

export function* removeSignIn(id: string): Work<boolean> {
  return (yield* run('DELETE FROM platform_auth_sign_ins WHERE id = ?1', id)) === 1
}

/** Must be called in a transaction. */
export function* addSignOut({ formatDelete, greatest }: Dialect, signOut: SignOut): Work<void> {
  const { subject, nonce, at, expiresAt } = signOut
  const upsert = `
    INSERT INTO platform_auth_sign_outs (subject, nonce, at, expires_at) VALUES (?1, ?2, ?3, ?4)
    ON CONFLICT (subject) DO UPDATE SET nonce = excluded.nonce,
      at = ${greatest}(excluded.at, platform_auth_sign_outs.at + 1), expires_at = excluded.expires_at`
  yield* run(upsert, subject, nonce, at, expiresAt)
  if (subject.startsWith(CONTACT_SUBJECT))
    yield* run('DELETE FROM platform_auth_sign_ins WHERE contact = ?1', subject.slice(CONTACT_SUBJECT.length))
  const deleteExpired = formatDelete('platform_auth_sign_outs', 'subject', 'expires_at')
  yield* run(deleteExpired, at + 1, MAX_EXPIRED_PER_CALL)
}

export function* listSignOuts(subjects: readonly string[]): Work<readonly SignOut[]> {
  if (subjects.length === 0) return []
  const list = subjects.map((_, i) => `?${i + 1}`).join()
  const text = `SELECT subject, nonce, at, expires_at AS "expiresAt" FROM platform_auth_sign_outs WHERE subject IN (${list})`
  return yield* all<SignOut>(text, ...subjects)
}

const CONTACT_SUBJECT = 'contact:'
