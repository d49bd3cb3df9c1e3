/**
 * Whether this is the long lane. test/vitest.config.ts also runs there each test file that imports this: with all variants
 * and more repetitions, of which `npm test` runs a few.
 */
export const IS_LONG_LANE = process.env['LANE'] === 'long'
