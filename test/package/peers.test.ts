import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { isVersionInRange } from '../../src/tools/cli/doctor/startup-checks.js'
import { readSourceFiles } from '../support/source-files.js'

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional: boolean }>>
}

const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as Manifest
const { dependencies, peerDependencies: peers } = manifest

/**
 * Versions that existing apps have; npm refuses to install the package beside one that a peer's range excludes. With these
 * the stores and the platform were tested. installs.long.test.ts installs them with npm.
 */
const TESTED: Readonly<Record<string, readonly string[]>> = {
  '@node-rs/argon2': ['2.0.2', '2.2.1'],
  '@node-rs/bcrypt': ['1.10.7', '2.0.0'],
  '@opentelemetry/api': ['1.9.0', '1.9.1', '1.10.0'],
  '@photostructure/sqlite': ['1.2.1', '2.3.0', '2.6.0'],
  express: ['4.16.0', '4.16.4', '4.17.3', '4.18.2', '4.22.3', '5.0.0', '5.3.0'],
  pg: ['8.0.3', '8.11.0', '8.12.0', '8.23.1'],
  yaml: ['2.0.0', '2.3.4', '2.9.1'],
}

it('the peers are the packages that the code imports, and Express', () => {
  const imports = readSourceFiles().flatMap(({ imports: each }) => each.filter(({ kind }) => kind === 'package'))
  const bundled = ['marked', 'tlds', 'zod']
  const installed = [...Object.keys(dependencies), ...bundled]
  const imported = new Set(imports.map(({ target }) => target).filter((name) => !installed.includes(name)))
  expect(Object.keys(peers).toSorted()).toEqual([...imported, 'express'].toSorted())
  expect(Object.keys(TESTED)).toEqual(Object.keys(peers))
})

it('every peer but Express is optional', () => {
  const optional = Object.entries(manifest.peerDependenciesMeta).filter(([, meta]) => meta.optional)
  expect([...optional.map(([name]) => name), 'express'].toSorted()).toEqual(Object.keys(peers).toSorted())
})

it.each(Object.entries(TESTED).flatMap(([name, versions]) => versions.map((version) => [name, version] as const)))(
  'the range of %s includes %s',
  (name, version) => {
    expect(isVersionInRange(version, peers[name]!)).toBe(true)
  },
)
