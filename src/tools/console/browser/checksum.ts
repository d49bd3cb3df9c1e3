const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Whether a key ends with its checksum: the CRC-32 of all before as six base62 digits, whatever the prefix. */
export function isCompleteKey(text: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_]*_key_[A-Za-z0-9]{34}$/.test(text)) return false
  let rest = computeCrc32(text.slice(0, -6))
  let checksum = ''
  for (let digit = 0; digit < 6; digit++) {
    checksum = BASE62.charAt(rest % 62) + checksum
    rest = Math.floor(rest / 62)
  }
  return text.endsWith(checksum)
}

function computeCrc32(text: string): number {
  let crc = -1
  for (let index = 0; index < text.length; index++) {
    crc ^= text.charCodeAt(index)
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 && 0xedb88320)
  }
  return ~crc >>> 0
}
