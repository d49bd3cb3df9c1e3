import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

/** Runs the compiler of a package, such as `typescript-5.0`, in a folder, and resolves the lines that it reports. */
export async function compile(version: string, cwd: string, args: readonly string[] = []): Promise<string[]> {
  const tsc = join(dirname(createRequire(import.meta.url).resolve(`${version}/package.json`)), 'bin/tsc')
  try {
    await promisify(execFile)(process.execPath, [tsc, ...args, '--pretty', 'false'], { cwd, maxBuffer: 2 ** 26 })
    return []
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    return [...stdout.trim().split('\n'), stderr].filter((line) => line !== '')
  }
}

export function writeConfig(folder: string, compilerOptions: object, files: readonly string[]): Promise<void> {
  return writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
}
