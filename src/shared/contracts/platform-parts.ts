/**
 * The member of `auth` with what tools need and hosts do not. Both copies of the package, of `import` and of `require()`, have the same
 * symbol.
 */
export const PLATFORM_PARTS: unique symbol = Symbol.for('express-platform-auth.parts')
