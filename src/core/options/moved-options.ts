/** Options that one looks for in another place than the one where they are, by their path there. */
export const MOVED_OPTIONS: Readonly<Record<string, string>> = {
  mailer: 'features: [emails({ mailer })]',
  delivery: 'features: [emails({ mailer, delivery })]',
  emails: 'features: [emails({ mailer, compose })]',
  'credentials.remindBefore': 'features: [emails({ mailer, remindBefore })]',
  operators: 'features: [registration({ operators })]',
  registration: 'features: [registration({ allow, limits: { foldTags, ipv6Prefix } })]',
  'rateLimits.registration': 'features: [registration({ limits: { registration } })]',
  'rateLimits.allRegistrations': 'features: [registration({ limits: { allRegistrations } })]',
  portal: 'features: [portal({ actions })], or leave out portal() where it was false',
  'rateLimits.signIn': 'features: [portal({ limits: { signIn } })]',
  'rateLimits.portalActions': 'features: [portal({ limits: { actions } })]',
  usage: 'features: [usage({ retention })], or leave out usage() where it was false',
  importedCredentials: 'features: [imports()], or imports({ hmacKey })',
  accessTokenLifetime: 'tokens: { lifetime }',
  clockTolerance: 'tokens: { clockTolerance }',
  signing: 'tokens: { algorithm, rotateEvery, publishAhead }',
  credentialPrefix: 'credentials: { prefix }',
  applicationMetadata: 'metadata',
  audit: 'background: { auditRetention }',
}

/** The place of an option, in a sentence; undefined for a name that is nowhere. */
export function describePlace(path: string): string | undefined {
  return Object.hasOwn(MOVED_OPTIONS, path) ? `Write ${MOVED_OPTIONS[path]}.` : undefined
}
