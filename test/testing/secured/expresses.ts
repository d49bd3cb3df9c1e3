import type express5 from 'express'
import { EXPRESSES } from '../../support/platform.js'

/** Every version of Express, the oldest supported one too; in the unit lane only Express 5. */
export const SECURED_EXPRESSES: readonly (readonly [string, typeof express5])[] = [
  ...Object.entries(EXPRESSES),
  ...(process.env['LANE'] === 'unit' ? [] : ([['Express 4.16', (await import('express4-16')).default]] as const)),
]

/** All cases for Express 5, every third for Express 4 and every fifth for 4.16, which routes as 4 does. The long lane has all. */
export function listFew<Case>(name: string, cases: readonly Case[]): readonly Case[] {
  const step = { 'Express 4': 3, 'Express 4.16': 5 }[name] ?? 1
  return cases.filter((_, i) => i % step === 0)
}
