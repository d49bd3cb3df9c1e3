/** The language of an application's e-mails. */
export const LANGUAGE_OPTION = {
  kind: 'text',
  placeholder: 'LANGUAGE',
  description: 'The language of its e-mails: en (the default), de, fr or es.',
} as const
