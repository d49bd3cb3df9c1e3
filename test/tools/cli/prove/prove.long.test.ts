import { describe, it } from 'vitest'
import { createTemporaryFolder } from '../../../support/temporary-folder.js'
import { BROKEN, BROKEN_SERVICES, expectFound } from './broken.js'
import { CORRECT, createTlsDeployment } from './correct.js'
import { proveDeployment } from './deployment.js'

// Concurrent, because these tests mostly wait.
describe.concurrent('prove finds that', { timeout: 900_000 }, () => {
  it.for([...BROKEN, ...BROKEN_SERVICES])('$name', expectFound)
})

describe.concurrent('prove finds nothing in front of or behind', { timeout: 900_000 }, () => {
  it.for(Object.entries(CORRECT))('%s', async ([, options], { expect }) => {
    const { report, result } = await proveDeployment(options)
    expect(report.deviations).toEqual([])
    expect(result.code).toBe(0)
    expect(report.passed).toBeGreaterThan(80)
  })

  it('nginx that ends TLS with a certificate of its own authority', async ({ expect, onTestFinished }) => {
    const deployment = createTlsDeployment(await createTemporaryFolder({ onTestFinished }))
    const { report } = await proveDeployment(deployment)
    expect(report.deviations).toEqual([])
    const untrusted = await proveDeployment({ ...deployment, env: {} })
    expect(untrusted.report.deviations).toMatchObject([
      { row: 'M3', fix: expect.stringContaining('NODE_EXTRA_CA_CERTS') },
    ])
  })
})
