import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const programs = fileURLToPath(new URL('programs', import.meta.url))

/** The dependencies that consumers install. Without jose, which the CommonJS build must not need. */
const DEPENDENCIES = ['passport', 'passport-headerapikey', 'passport-http-bearer']

/** The package, to be installed in new projects. */
export interface Installable {
  /** Creates a project in another folder with the package installed. */
  consumer(options: ConsumerOptions): Promise<string>
  /** Removes the package and all projects. */
  remove(): Promise<void>
}

export interface Packed extends Installable {
  readonly tarball: string
  /** The folder of the unpacked tarball. */
  readonly folder: string
  /** Its files with paths and sizes in bytes. */
  readonly files: readonly { readonly path: string; readonly size: number }[]
  /** Size of the tarball in bytes. */
  readonly size: number
}

export interface ConsumerOptions {
  readonly type: 'module' | 'commonjs'
  /** Further packages in its node_modules: a name, or `express=express4` for another package under that name. */
  readonly packages: readonly string[]
  /** The files of `programs` to copy into it. */
  readonly programs: readonly string[]
}

/** Packs dist as `npm publish` would, and unpacks it. Dependencies come from our node_modules, without a registry. */
export async function pack(): Promise<Packed> {
  const scratch = await mkdtemp(join(tmpdir(), 'packed-'))
  // Without scripts: `prepack` would build again.
  const args = ['pack', '--json', '--ignore-scripts', '--offline', '--pack-destination', scratch]
  const { stdout } = await promisify(execFile)('npm', args, { cwd: root })
  const [{ filename, files, size }] = JSON.parse(stdout) as [Pick<Packed, 'files' | 'size'> & { filename: string }]
  const tarball = join(scratch, filename)
  await promisify(execFile)('tar', ['-xzf', tarball, '-C', scratch])
  return { ...createInstallable(scratch), tarball, folder: join(scratch, 'package'), files, size }
}

/** The manifest and the declarations as they are in the tarball, without `npm pack`, which takes seconds. */
export async function copyBuild(): Promise<Installable> {
  const scratch = await mkdtemp(join(tmpdir(), 'copied-'))
  const folder = join(scratch, 'package')
  for (const name of ['package.json', 'dist/esm', 'dist/cjs', 'dist/assets']) {
    await cp(join(root, name), join(folder, name), { recursive: true })
  }
  return createInstallable(scratch)
}

/** A new project with exactly these packages, and the tarball, as npm installs them. Its files are those of `programs`. */
export async function installBeside(
  tarball: string,
  packages: Readonly<Record<string, string>>,
  names: readonly string[],
): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'existing-app-'))
  onTestFinished(() => rm(home, { recursive: true, force: true }))
  const dependencies = { ...packages, 'express-platform-auth': `file:${tarball}` }
  await writeFile(join(home, 'package.json'), JSON.stringify({ private: true, type: 'commonjs', dependencies }))
  for (const name of names) await cp(join(programs, name), join(home, name), { recursive: true })
  await promisify(execFile)('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline'], { cwd: home })
  return home
}

/** @param scratch has the package in the folder `package` */
function createInstallable(scratch: string): Installable {
  const folder = join(scratch, 'package')
  let consumers = 0

  async function consumer({ type, packages, programs: names }: ConsumerOptions): Promise<string> {
    const home = join(scratch, `consumer-${++consumers}`)
    const modules = join(home, 'node_modules')
    await mkdir(modules, { recursive: true })
    // Links, because most of the time of a test would go into copying.
    await promisify(execFile)('cp', ['-Rl', folder, join(modules, 'express-platform-auth')])
    for (const spec of [...DEPENDENCIES, ...packages]) {
      const [name = '', original = name] = spec.split('=')
      await mkdir(dirname(join(modules, name)), { recursive: true })
      await symlink(join(root, 'node_modules', original), join(modules, name))
    }
    for (const name of names) await cp(join(programs, name), join(home, name))
    await writeFile(join(home, 'package.json'), JSON.stringify({ name: 'consumer', private: true, type }))
    return home
  }

  return { consumer, remove: () => rm(scratch, { recursive: true }) }
}

/** Runs a consumer's program; resolves the JSON that it prints, and rejects if it writes to stderr. */
export async function run(home: string, program: string): Promise<unknown> {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [program], { cwd: home, timeout: 100_000 })
  if (stderr !== '') throw new Error(stderr)
  return JSON.parse(stdout)
}

export const readText = (folder: string, path: string): Promise<string> => readFile(join(folder, path), 'utf8')
