/** A key or secret of this package, also with `_` percent-encoded; or a JWT, whose header begins with `{"`. */
const CREDENTIAL = /(?:_|%5[fF])(?:key|sec)(?:_|%5[fF])[A-Za-z0-9]{20}|eyJ[\w-]+\./
const KEY_OR_SECRET = /_(?:key|sec)_[A-Za-z0-9]{20}/

export function holdsKeyOrSecret(text: string): boolean {
  return KEY_OR_SECRET.test(text)
}

/** Whether a text that a caller may have chosen has a credential in it, so that no log, event or list may show it. */
export function holdsCredential(text: string): boolean {
  return CREDENTIAL.test(text)
}
