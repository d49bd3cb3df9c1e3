/** What tools need and hosts do not. Copies of `import` and of `require()` have the same symbol. */
export const PLATFORM_PARTS: unique symbol = Symbol.for('express-platform-auth.parts')
