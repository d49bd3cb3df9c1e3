const MAX_LENGTH = 128
/** No `/`, `?` or `&`: some hosts use the path as id. */
const REQUEST_ID = /^[\w.:=+@-]+$/
/** A key or secret of this package, or a JWT. */
const CREDENTIAL = /_(?:key|sec)_[A-Za-z0-9]{20}|eyJ[\w-]+\./

/** A request id that may be stored. Callers can often choose it, so that it could be anything. */
export function readRequestId(id: string | undefined): string | undefined {
  if (id === undefined || id.length > MAX_LENGTH || !REQUEST_ID.test(id) || CREDENTIAL.test(id)) return undefined
  return id
}
