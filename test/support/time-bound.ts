import { IS_LONG_LANE } from './long-lane.js'

/**
 * How much longer everything may take in `npm test`, which runs several files at a time, also on machines that are slow or
 * stand still for seconds.
 */
const SLOWDOWN = 10

/**
 * The most milliseconds that what a test measures may take: exactly these in the long lane, which runs one file at a time,
 * and ten times as many in `npm test`. test/vitest.config.ts runs each test file that imports this in both.
 */
export function timeBound(milliseconds: number): number {
  return IS_LONG_LANE ? milliseconds : milliseconds * SLOWDOWN
}
