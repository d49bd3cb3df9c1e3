/** A check that could not be made; the message is the reason. */
export class SkippedCheck extends Error {
  override readonly name = 'SkippedCheck'
}

export function skip(reason: string): never {
  throw new SkippedCheck(reason)
}
