import { expect, it } from 'vitest'
import { diagnose } from '../../../../src/tools/cli/prove/diagnosis.js'

it('prove has a fix for errors of the platform, and none for what else an answer may name', () => {
  const diagnoseError = (error: string): string | undefined => {
    const body = JSON.stringify({ error })
    const header = (name: string) => (name === 'content-type' ? 'application/json' : undefined)
    return diagnose({ status: 500, json: { error }, body, header } as never)
  }
  expect(diagnoseError('server_error')).toContain("The app's log has the cause.")
  for (const error of ['unknown_error', 'constructor', '__proto__', 'toString'])
    expect(diagnoseError(error)).toBeUndefined()
})
