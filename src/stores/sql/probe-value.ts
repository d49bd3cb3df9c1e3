import { randomBytes } from 'node:crypto'

/** More than a database has in partly filled pages, and incompressible, so that a full disk is noticed. */
const PROBE_BYTES = 1024 * 1024

/** The value that `diagnose()` writes to see whether the disk has space. */
export function createProbeValue(): string {
  return randomBytes((PROBE_BYTES * 3) / 4).toString('base64')
}
