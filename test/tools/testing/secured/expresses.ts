import type express5 from 'express'
import { EXPRESSES } from '../../../support/platform.js'

/** Every version of Express, the oldest supported one too; in the unit lane only Express 5. */
export const SECURED_EXPRESSES: readonly (readonly [string, typeof express5])[] = [
  ...Object.entries(EXPRESSES),
  ...(process.env['LANE'] === 'unit' ? [] : ([['Express 4.16', (await import('express4-16')).default]] as const)),
]

/** For what does not depend on how a version routes. */
export const NEWEST_EXPRESS = SECURED_EXPRESSES.filter(([name]) => name === 'Express 5')

/** All cases with the first version of Express, every twelfth one with the others, which route alike. The long lane has all. */
export function listFew<Case>(name: string, cases: readonly Case[]): readonly Case[] {
  return name === SECURED_EXPRESSES[0]![0] ? cases : cases.filter((_, i) => i % 12 === name.length % 12)
}
