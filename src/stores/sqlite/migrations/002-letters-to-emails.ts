/** Renames `letters` to `emails`, with the columns and indexes. */
export const lettersToEmails = `
  ALTER TABLE platform_auth_letters RENAME TO platform_auth_emails;
  ALTER TABLE platform_auth_emails RENAME COLUMN attempts TO attempt_count;
  ALTER TABLE platform_auth_emails RENAME COLUMN attempted TO attempted_hashes;
  ALTER TABLE platform_auth_emails RENAME COLUMN claims TO claim_links;
  ALTER TABLE platform_auth_letter_claims RENAME TO platform_auth_email_claim_links;
  ALTER TABLE platform_auth_email_claim_links RENAME COLUMN letter_seq TO email_seq;
  DROP INDEX platform_auth_letters_by_application;
  CREATE INDEX platform_auth_emails_by_application ON platform_auth_emails (application_id, due_at);
  DROP INDEX platform_auth_letters_by_state;
  CREATE INDEX platform_auth_emails_by_state ON platform_auth_emails (state, due_at);
  DROP INDEX platform_auth_letters_by_due_at;
  CREATE INDEX platform_auth_emails_by_due_at ON platform_auth_emails (due_at);
  DROP INDEX platform_auth_letter_claims_by_letter;
  CREATE INDEX platform_auth_email_claim_links_by_email ON platform_auth_email_claim_links (email_seq);
`
