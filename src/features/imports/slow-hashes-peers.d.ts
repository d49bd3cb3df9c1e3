/** The part that is used of two optional packages, so that the source compiles where they are not installed. */
declare module '@node-rs/bcrypt' {
  export function verify(password: string, hash: string): Promise<boolean>
}
declare module '@node-rs/argon2' {
  export function verify(hash: string, password: string): Promise<boolean>
}
