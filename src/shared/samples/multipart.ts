import type { SampleField, SampleFile } from './prepare.js'

interface MultipartForm {
  readonly mediaType: string
  readonly fields: readonly SampleField[]
}

/** A form as `multipart/...` (RFC 7578), for libraries that cannot write one: text as it is, and files between. */
export function createMultipart({ mediaType, fields }: MultipartForm, boundary = findBoundary(fields)) {
  const parts = fields.flatMap((field): (string | SampleFile)[] => {
    const disposition = `Content-Disposition: form-data; name="${escapePartName(field.name)}"`
    const lines = [`--${boundary}`, disposition, ...listPartHeaders(field).map((header) => header.join(': '))]
    if ('value' in field) return [`${lines.join('\r\n')}\r\n\r\n${field.value}\r\n`]
    lines[1] += `; filename="${escapePartName(field.file.name)}"`
    return [`${lines.join('\r\n')}\r\n\r\n`, field.file, '\r\n']
  })
  return { contentType: `${mediaType}; boundary=${boundary}`, parts: [...parts, `--${boundary}--\r\n`] }
}

/** The headers of a part besides `Content-Disposition`. */
export function listPartHeaders({ mediaType, headers = [] }: SampleField): (readonly [name: string, value: string])[] {
  return [...(mediaType === undefined ? [] : [['Content-Type', mediaType] as const]), ...headers]
}

/** Whether every library writes the form as it is: `multipart/form-data`, no headers of fields, no line breaks (FormData changes them). */
export function isSimpleForm({ mediaType, fields }: MultipartForm): boolean {
  const isSimple = (field: SampleField): boolean =>
    field.headers === undefined && ('file' in field || (field.mediaType === undefined && !/[\r\n]/.test(field.value)))
  return mediaType === 'multipart/form-data' && fields.every(isSimple)
}

function findBoundary(fields: readonly SampleField[]): string {
  let boundary = 'form-part-3f9c81d2a7'
  while (fields.some((field) => 'value' in field && field.value.includes(boundary))) boundary += '0'
  return boundary
}

export function escapePartName(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}
