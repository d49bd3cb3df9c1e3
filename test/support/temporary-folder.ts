import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** An empty folder, which is removed with what it has when the test is over. */
export async function createTemporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'platform-auth-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}
