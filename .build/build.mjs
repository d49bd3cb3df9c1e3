/**
 * Builds dist: tsc compiles src to ES modules and declarations, esbuild translates each module to CommonJS, and the
 * console's files are compressed. Which files must result is read from package.json's `exports` and `bin`.
 */
import { execFile } from 'node:child_process'
import { access, chmod, copyFile, mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import * as esbuild from 'esbuild'

const require = createRequire(import.meta.url)
const root = join(import.meta.dirname, '..')
/** @type {{ exports: Record<string, Record<string, Record<string, string>>>, bin: Record<string, string> }} */
const manifest = require('../package.json')
const programs = Object.values(manifest.bin)

// Built in a folder of its own and then moved, because tests read dist while it is built.
const dist = join(root, 'dist')
const staging = join(root, `dist.${process.pid}`)
const output = join(staging, 'output')
const esm = join(output, 'esm')
const cjs = join(output, 'cjs')

/** @type {esbuild.BuildOptions} */
const COMMONJS = {
  format: 'cjs',
  platform: 'node',
  target: 'node20.19',
  // Jest cannot run import() in CommonJS.
  supported: { 'dynamic-import': false },
  define: { 'import.meta.dirname': '__dirname' },
  // Any other use of import.meta fails the build.
  logOverride: { 'empty-import-meta': 'error' },
  absWorkingDir: output,
  logLevel: 'silent',
}

try {
  await compile()
  await checkTargets([...exportedFiles('import'), ...programs])
  await removeInternalDeclarations()
  await inlineMarked()
  await translateToCommonJs()
  await inlineJose()
  await checkTargets(exportedFiles('require'))
  for (const program of programs) await chmod(inOutput(program), 0o755)
  await compressAssets()
  await bundlePlots()
  await moveIntoPlace()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
} finally {
  await rm(staging, { recursive: true, force: true })
}

async function compile() {
  const tsc = join(dirname(require.resolve('typescript/package.json')), 'bin/tsc')
  const args = [tsc, '--project', import.meta.dirname, '--outDir', esm, '--pretty', 'false']
  await promisify(execFile)(process.execPath, args, { cwd: root }).catch((error) => {
    throw new Error((error.stdout || error.message).trim())
  })
}

/** Keeps the declarations that an exported one refers to. Others may name types of packages that users lack. */
async function removeInternalDeclarations() {
  const exported = exportedFiles('import').map(inOutput)
  const reachable = new Set(exported.filter((file) => file.endsWith('.d.ts')))
  for (const file of reachable) {
    const imports = (await readFile(file, 'utf8')).matchAll(/(?:from|import\(?)\s*["'](\.[^"']+)\.js["']/g)
    for (const [, path] of imports) reachable.add(join(dirname(file), `${path}.d.ts`))
  }
  for (const file of await filesIn(esm, '.d.ts')) if (!reachable.has(file)) await rm(file)
}

/** File by file, so that a process has one instance of every module, whichever subpaths it requires. */
async function translateToCommonJs() {
  // Programs are not required by anybody, so their folders stay ES modules only.
  const folders = programs.map((program) => join(dirname(inOutput(program)), '/'))
  const entryPoints = (await filesIn(esm, '.js')).filter((file) => !folders.some((folder) => file.startsWith(folder)))
  await esbuild.build({ ...COMMONJS, entryPoints, outbase: esm, outdir: cjs })
  for (const file of await filesIn(esm, '.d.ts')) await copyFile(file, join(cjs, relative(esm, file)))
  await writeFile(join(cjs, 'package.json'), '{ "type": "commonjs" }\n')
}

/** jose is published as ES modules only, which Jest cannot load from CommonJS. */
async function inlineJose() {
  const copy = join(cjs, 'vendored/jose.js')
  for (const file of await filesIn(cjs, '.js')) {
    const code = await readFile(file, 'utf8')
    await writeFile(file, code.replaceAll('require("jose")', `require("./${relative(dirname(file), copy)}")`))
  }
  const licence = await readFile(join(dirname(require.resolve('jose/package.json')), 'LICENSE.md'), 'utf8')
  const banner = `/*! jose ${require('jose/package.json').version}\n\n${licence.trim()}\n*/`
  const stdin = { contents: "export * from 'jose'", resolveDir: root }
  await esbuild.build({ ...COMMONJS, bundle: true, stdin, outfile: copy, banner: { js: banner } })
}

/** marked is used by the console only, so that an installation of this package does not get another dependency for it. */
async function inlineMarked() {
  const copy = join(esm, 'vendored/marked.js')
  for (const file of await filesIn(join(esm, 'console'), '.js')) {
    const code = await readFile(file, 'utf8')
    await writeFile(file, code.replaceAll(/from ['"]marked['"]/g, `from '${relative(dirname(file), copy)}'`))
  }
  const licence = await readFile(join(dirname(require.resolve('marked/package.json')), 'LICENSE'), 'utf8')
  const banner = `/*! marked ${require('marked/package.json').version}\n\n${licence.trim()}\n*/`
  const stdin = { contents: "export { Marked } from 'marked'", resolveDir: root }
  const options = { ...COMMONJS, format: /** @type {const} */ ('esm'), legalComments: /** @type {const} */ ('none') }
  await esbuild.build({ ...options, bundle: true, stdin, outfile: copy, banner: { js: banner } })
}

/** The console's files and Swagger UI's, compressed once and used by both module formats. */
async function compressAssets() {
  const swaggerUi = dirname(require.resolve('swagger-ui-dist/package.json'))
  const style = await readFile(join(swaggerUi, 'swagger-ui.css'), 'utf8')
  const own = join(root, 'src/console/assets')
  const { PALETTE_CSS } = await import(join(output, 'esm/lib/palette.js'))
  const assets = join(output, 'assets')
  const sources = [join(swaggerUi, 'swagger-ui-bundle.js'), ...(await readdir(own)).map((name) => join(own, name))]
  await mkdir(assets)
  for (const source of sources) {
    const name = basename(source).replace('swagger-ui-bundle', 'swagger-ui')
    const content = await readFile(source, 'utf8')
    /** @type {Record<string, string>} */
    const before = {
      'console.css': PALETTE_CSS,
      // A cascade layer, so that our rules win whatever the specificity of Swagger UI's selectors.
      'reference.css': `@layer swagger-ui {\n${style}\n}\n`,
    }
    const whole = (before[name] ?? '') + content
    const sent = whole.replaceAll(/\/[*/]# sourceMappingURL=.*/g, '')
    await writeFile(join(assets, `${name}.gz`), gzipSync(sent, { level: 9 }))
  }
  for (const name of ['LICENSE', 'NOTICE', 'swagger-ui-bundle.js.LICENSE.txt'])
    await copyFile(join(swaggerUi, name), join(assets, `swagger-ui.${name.replace(/^swagger-ui-/, '')}`))
}

/** The script of the portal's plots with uPlot, for `<script>`. */
async function bundlePlots() {
  const { version } = require('uplot/package.json')
  const { outputFiles } = await esbuild.build({
    entryPoints: [join(root, 'src/portal/assets/plots.js')],
    bundle: true,
    format: 'iife',
    minify: true,
    target: ['chrome120', 'firefox120', 'safari17'],
    legalComments: 'none',
    banner: { js: `/*! uPlot ${version}, MIT licence */` },
    write: false,
    logLevel: 'silent',
  })
  const text = outputFiles[0]?.text ?? ''
  if (/<\/script|<!--/i.test(text)) throw new Error('The script of the plots cannot be part of a page.')
  await writeFile(join(output, 'assets/plots.js.gz'), gzipSync(text, { level: 9 }))
  await copyFile(join(dirname(require.resolve('uplot/package.json')), 'LICENSE'), join(output, 'assets/uplot.LICENSE'))
}

async function moveIntoPlace(attempt = 1) {
  await rename(dist, join(staging, `previous-${attempt}`)).catch((error) => {
    if (error.code !== 'ENOENT') throw error
  })
  await rename(output, dist).catch((error) => {
    if (attempt === 5) throw error
    // Another build has put its own dist there in the meantime.
    return moveIntoPlace(attempt + 1)
  })
}

/** @param {string[]} targets paths as in package.json */
async function checkTargets(targets) {
  for (const target of targets) {
    await access(inOutput(target)).catch(() => {
      throw new Error(`package.json names ${target}, but no file of src compiles to it.`)
    })
  }
}

/** @param {'import' | 'require'} condition */
function exportedFiles(condition) {
  return Object.values(manifest.exports).flatMap((entry) => Object.values(entry[condition] ?? {}))
}

/** @param {string} target a path in package.json */
function inOutput(target) {
  return join(output, relative('dist', target))
}

/** @param {string} folder @param {string} suffix */
async function filesIn(folder, suffix) {
  const files = await readdir(folder, { recursive: true })
  return files.filter((file) => file.endsWith(suffix)).map((file) => join(folder, file))
}
