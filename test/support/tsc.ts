import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'

const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'))

/** Type-checks without writing files, and resolves the errors in their order, each as `file.ts:line TS1234: message`. */
export function tsc(options: readonly string[]): Promise<string[]> {
  // Several threads check the same types again and take more processor time, which tests in other processes need.
  const args = [join(typescript, 'bin/tsc'), '--noEmit', '--pretty', 'false', '--singleThreaded', ...options]
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      const errors = [...stdout.matchAll(/^(?:(.+)\((\d+),\d+\): )?error (TS.*)$/gm)]
      if (error && errors.length === 0) reject(new Error(stdout + stderr, { cause: error }))
      else resolve(errors.map(([, file = '', line = '', text = '']) => `${basename(file)}:${line} ${text}`))
    })
  })
}
