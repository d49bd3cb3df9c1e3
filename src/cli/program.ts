/** What people type. */
export const PROGRAM = 'express-platform-auth'

/** An application's id in examples. */
export const EXAMPLE_ID = 'app_0123456789abcdef0123456789abcdef'

/** What package.json says of this program. */
export interface Manifest {
  readonly version: string
  readonly engines: { readonly node: string }
}
