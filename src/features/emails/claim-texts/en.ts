export const en = {
  heading: 'Your credentials',
  beforehand: 'Your credentials are shown only once. Be ready to store them in a safe place.',
  show: 'Show my credentials',
  incomplete: 'The link is not complete. Copy the whole address from the e-mail.',
  refused: 'The link has been used, has expired, or was replaced by a newer e-mail.',
  limited: 'There were too many attempts. Try again in a few minutes.',
  failed: 'The credentials could not be fetched. Try again.',
  needsScripts: 'This page needs JavaScript, which sends the secret part of the link when you click.',
  done: 'Here are your credentials. Store them now.',
  shownOnce: 'They are shown only on this page. A safe place is, for example, a secret manager.',
  of: (application: string) => `Application “${application}”`,
  key: 'Key',
  secret: 'Secret',
  expires: 'It expires at',
  expiresNever: 'It does not expire.',
  applicationId: 'Application id, to send as client_id',
  keyExpires: (time: string) => `The key expires at ${time}`,
  secretExpires: (time: string) => `The secret expires at ${time}`,
}

export type ClaimTexts = typeof en
