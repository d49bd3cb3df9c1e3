import { formatInitialSchema } from '../../sql/initial-schema.js'

export const initial = formatInitialSchema({
  serial: 'INTEGER PRIMARY KEY AUTOINCREMENT',
  key: 'TEXT',
  integer: 'INTEGER',
  flag: 'INTEGER NOT NULL DEFAULT FALSE',
  nonce: '(lower(hex(randomblob(12))))',
  collated: '',
  order: '',
  keyed: ' WITHOUT ROWID',
  cascade: '',
})
