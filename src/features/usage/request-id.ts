const MAX_LENGTH = 128
/** The characters exclude `/`, `?` and `&`: some hosts use the path as id. */
const REQUEST_ID = /^[\w.:;=+@-]+$/

/** A request id that may be stored. Callers can often choose it, so that it could be anything; none holds a credential (`http/origin`). */
export function readRequestId(id: string | undefined): string | undefined {
  return id === undefined || id.length > MAX_LENGTH || !REQUEST_ID.test(id) ? undefined : id
}
