import { crc32, deflateRawSync } from 'node:zlib'

/** A ZIP archive of text files. Its bytes depend on the files alone: all have the earliest date that the format knows. */
export function createZip(files: readonly { readonly path: string; readonly text: string }[]): Buffer {
  const contents: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { path, text } of files) {
    const name = Buffer.from(path)
    const plain = Buffer.from(text)
    const deflated = deflateRawSync(plain)
    const shared = describeFile(name, plain, deflated)
    const local = Buffer.concat([LOCAL_SIGNATURE, shared, name, deflated])
    contents.push(local)
    directory.push(createEntry(shared, name, offset))
    offset += local.length
  }
  const entries = Buffer.concat(directory)
  return Buffer.concat([...contents, entries, createEnd(files.length, entries.length, offset)])
}

const LOCAL_SIGNATURE = Buffer.from('PK\x03\x04')
const ENTRY_SIGNATURE = Buffer.from('PK\x01\x02')
const END_SIGNATURE = Buffer.from('PK\x05\x06')

const VERSION = 20
const UTF8_NAMES = 0x800
const DEFLATE = 8
/** The first of January 1980. */
const DATE = 0x21
/** `-rw-r--r--` of a regular file. */
const MODE = 0o100644

/** What a file has in common with its entry in the directory: APPNOTE.TXT 4.3.7, from `version needed` to `extra field length`. */
function describeFile(name: Buffer, plain: Buffer, deflated: Buffer): Buffer {
  const fields = Buffer.alloc(26)
  fields.writeUInt16LE(VERSION, 0)
  fields.writeUInt16LE(UTF8_NAMES, 2)
  fields.writeUInt16LE(DEFLATE, 4)
  fields.writeUInt16LE(DATE, 8)
  fields.writeUInt32LE(crc32(plain), 10)
  fields.writeUInt32LE(deflated.length, 14)
  fields.writeUInt32LE(plain.length, 18)
  fields.writeUInt16LE(name.length, 22)
  return fields
}

/** APPNOTE.TXT 4.3.12. */
function createEntry(shared: Buffer, name: Buffer, offset: number): Buffer {
  const madeBy = Buffer.from([VERSION, 3])
  const rest = Buffer.alloc(14)
  rest.writeUInt32LE((MODE << 16) >>> 0, 6)
  rest.writeUInt32LE(offset, 10)
  return Buffer.concat([ENTRY_SIGNATURE, madeBy, shared, rest, name])
}

/** APPNOTE.TXT 4.3.16. */
function createEnd(count: number, size: number, offset: number): Buffer {
  const fields = Buffer.alloc(18)
  fields.writeUInt16LE(count, 4)
  fields.writeUInt16LE(count, 6)
  fields.writeUInt32LE(size, 8)
  fields.writeUInt32LE(offset, 12)
  return Buffer.concat([END_SIGNATURE, fields])
}
