export function isJson(mediaType = ''): boolean {
  return /^[^;,]*[/+]json\s*(?:[;,]|$)/i.test(mediaType)
}

export function isMultipart(mediaType: string): boolean {
  return /^multipart\//i.test(mediaType)
}

/**
 * The media type to send, of a list such as `image/png, image/*`: that of the content if the list allows it, otherwise the first
 * one that is no range.
 */
export function chooseMediaType(list = '', own = ''): string | undefined {
  const types = list.split(',').map((type) => type.trim())
  const isAllowed = types.some(
    (type) => type === own || (type.endsWith('*') && own.startsWith(type.replace(/\*.*/, ''))),
  )
  if (own !== '' && isAllowed) return own
  return types.find((type) => type !== '' && !type.includes('*')) ?? (own || undefined)
}
