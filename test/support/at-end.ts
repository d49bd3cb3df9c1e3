import { afterAll, onTestFinished, TestRunner } from 'vitest'

/** Calls `end` when the test is over, or outside of a test the `describe()` or the file. Not for `beforeAll()` and concurrent tests. */
export function atEnd(end: () => Promise<void> | void): void {
  if (TestRunner.getCurrentTest()) onTestFinished(() => end())
  else afterAll(() => end())
}
