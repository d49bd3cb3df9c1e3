import type { SampleField, SampleFile } from './call.js'

/** A form as `multipart/form-data` (RFC 7578), for libraries that cannot write one. */
export interface Multipart {
  readonly contentType: string
  /** Text as it is, and files between. */
  readonly parts: readonly (string | SampleFile)[]
}

export function createMultipart(fields: readonly SampleField[]): Multipart {
  const boundary = findBoundary(fields)
  const parts: (string | SampleFile)[] = []
  let text = ''
  for (const field of fields) {
    text += `--${boundary}\r\nContent-Disposition: form-data; name="${escapePartName(field.name)}"`
    if ('value' in field) {
      text += `\r\n\r\n${field.value}\r\n`
      continue
    }
    const { name, mediaType = 'application/octet-stream' } = field.file
    parts.push(`${text}; filename="${escapePartName(name)}"\r\nContent-Type: ${mediaType}\r\n\r\n`, field.file)
    text = '\r\n'
  }
  return { contentType: `multipart/form-data; boundary=${boundary}`, parts: [...parts, `${text}--${boundary}--\r\n`] }
}

/** Text that is in no field. */
function findBoundary(fields: readonly SampleField[]): string {
  let boundary = 'form-part-3f9c81d2a7'
  while (fields.some((field) => 'value' in field && field.value.includes(boundary))) boundary += '0'
  return boundary
}

/** Escapes a name as browsers do. */
export function escapePartName(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}
