/** Renames `letters` to `emails`, with the columns, indexes and sequences. */
export const lettersToEmails = `
  ALTER TABLE platform_auth_letters RENAME TO platform_auth_emails;
  ALTER TABLE platform_auth_emails RENAME COLUMN attempts TO attempt_count;
  ALTER TABLE platform_auth_emails RENAME COLUMN attempted TO attempted_hashes;
  ALTER TABLE platform_auth_emails RENAME COLUMN claims TO claim_links;
  ALTER TABLE platform_auth_letter_claims RENAME TO platform_auth_email_claim_links;
  ALTER TABLE platform_auth_email_claim_links RENAME COLUMN letter_seq TO email_seq;
  ALTER INDEX platform_auth_letters_by_application RENAME TO platform_auth_emails_by_application;
  ALTER INDEX platform_auth_letters_by_state RENAME TO platform_auth_emails_by_state;
  ALTER INDEX platform_auth_letters_by_due_at RENAME TO platform_auth_emails_by_due_at;
  ALTER INDEX platform_auth_letter_claims_by_letter RENAME TO platform_auth_email_claim_links_by_email;
  ALTER SEQUENCE IF EXISTS platform_auth_letters_seq_seq RENAME TO platform_auth_emails_seq_seq;
  ALTER INDEX IF EXISTS platform_auth_letters_pkey RENAME TO platform_auth_emails_pkey;
  ALTER INDEX IF EXISTS platform_auth_letters_id_key RENAME TO platform_auth_emails_id_key;
  ALTER INDEX IF EXISTS platform_auth_letter_claims_pkey RENAME TO platform_auth_email_claim_links_pkey;
`
