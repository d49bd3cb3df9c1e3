import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { atEnd } from './at-end.js'

/** An empty folder, which is removed with what it has at the end of the test (or the file). A concurrent test gives its context. */
export async function createTemporaryFolder(
  test: { readonly onTestFinished: typeof atEnd } = { onTestFinished: atEnd },
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'platform-auth-'))
  test.onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}
