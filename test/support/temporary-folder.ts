import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished, type TestContext } from 'vitest'

/** An empty folder, which is removed with what it has when the test is over. A concurrent test gives its context. */
export async function createTemporaryFolder(
  test: Pick<TestContext, 'onTestFinished'> = { onTestFinished },
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'platform-auth-'))
  test.onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}
