/** A symbol that this file alone has: no option, no JSON and no polluted prototype gives an application an end. */
const END = Symbol('end')

/** What creates an application, with the time at which it ends (milliseconds since 1970). Only `prove` uses this. */
export function withEnd<Created extends object>(created: Created, endsAt: number): Created {
  return { ...created, [END]: endsAt }
}

export function readEnd(created: object): number | undefined {
  return (created as { readonly [END]?: number })[END]
}
