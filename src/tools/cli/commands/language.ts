import { option } from '../command.js'
/** The language of an application's e-mails. */
export const LANGUAGE_OPTION = option.text('LANGUAGE', 'The language of its e-mails: en (the default), de, fr or es.')
