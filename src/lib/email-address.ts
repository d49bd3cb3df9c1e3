/** RFC 5321 4.1.2: a dot-atom at a host name; nothing that a mail program could read as two addresses. */
const ADDRESS =
  /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/

/** Whether a text is one plain ASCII address of up to 254 octets. */
export function isEmailAddress(text: unknown): text is string {
  return typeof text === 'string' && text.length <= 254 && ADDRESS.test(text) && text.indexOf('@') <= 64
}

/** The address without `+tag`, which many mail servers ignore. */
export function removeTag(address: string): string {
  return address.replace(/\+[^@]*/, '')
}
