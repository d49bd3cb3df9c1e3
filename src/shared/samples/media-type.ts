export function isJson(mediaType = ''): boolean {
  return /^[^;,]*[/+]json\s*(?:[;,]|$)/i.test(mediaType)
}

export function isMultipart(mediaType: string): boolean {
  return /^multipart\//i.test(mediaType)
}

/** Of a list such as `image/png, image/*`: the content's own type if allowed, else the first that is no range. */
export function chooseMediaType(list = '', own = ''): string | undefined {
  const types = list.split(',').map((type) => type.trim())
  const isAllowed = types.some(
    (type) => type === own || (type.endsWith('*') && own.startsWith(type.replace(/\*.*/, ''))),
  )
  if (own !== '' && isAllowed) return own
  return types.find((type) => type !== '' && !type.includes('*')) ?? (own || undefined)
}
