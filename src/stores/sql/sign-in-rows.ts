import type { SignIn, SignOut } from '../../shared/contracts/sign-ins.js'

export interface SignInRow {
  readonly id: string
  readonly contact: string
  readonly link_hash: string
  readonly code_hash: string | null
  readonly guesses: number
  readonly application_id: string | null
  readonly created_at: number
  readonly expires_at: number
}

export function parseSignIn(row: SignInRow): SignIn {
  return {
    id: row.id,
    contact: row.contact,
    linkHash: row.link_hash,
    codeHash: row.code_hash ?? undefined,
    guesses: row.guesses,
    applicationId: row.application_id ?? undefined,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  }
}

const CONTACT_SUBJECT = 'contact:'

/** The mailbox that a sign-out is about; undefined if it is about one session. */
export function readContactOf({ subject }: SignOut): string | undefined {
  return subject.startsWith(CONTACT_SUBJECT) ? subject.slice(CONTACT_SUBJECT.length) : undefined
}
