/** The formats of imported hashes, which stand in front of them with a colon. */
export const IMPORTED_FORMATS = ['argon2id', 'bcrypt', 'hmac-sha256', 'sha256', 'sha512'] as const
