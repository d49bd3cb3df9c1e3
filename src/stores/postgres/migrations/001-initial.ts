import { formatInitialSchema } from '../../sql/initial-schema.js'

export const initial = formatInitialSchema({
  serial: 'bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
  key: 'text COLLATE "C"',
  integer: 'bigint',
  flag: 'boolean NOT NULL DEFAULT false',
  nonce: "replace(gen_random_uuid()::text, '-', '')",
  collated: ' COLLATE "C"',
  order: ', seq',
  keyed: '',
  cascade: ' ON DELETE CASCADE',
})
