/**
 * Builds dist/: ES modules and declarations by tsc, and from those their CommonJS twin by esbuild, file by file, so
 * that in either world there is one copy of every module. jose exists as ES modules only, which Jest's CommonJS can't
 * load: the twin has what the package uses of it in one file. Nothing imports this script, and nothing ships it.
 */
import { execFile } from 'node:child_process'
import { access, chmod, copyFile, mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

const require = createRequire(import.meta.url)
const root = fileURLToPath(new URL('..', import.meta.url))
/** @type {{ exports: Record<string, Record<string, Record<string, string>>>, bin: Record<string, string> }} */
const manifest = require('../package.json')

// Built aside and moved in one go: whoever reads dist meanwhile finds the former build whole.
const dist = join(root, 'dist')
const staging = join(root, `dist.${process.pid}`)
const made = join(staging, 'made')
const esm = join(made, 'esm')
const cjs = join(made, 'cjs')
const JOSE = join(cjs, 'vendored/jose.js')
const assets = join(made, 'assets')

try {
  await compile()
  await checkExports('import')
  await makeExecutable()
  await keepReachableDeclarations()
  await mirrorAsCommonJs()
  await inlineJose()
  await packAssets()
  await checkExports('require')
  await moveIntoPlace()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
} finally {
  await rm(staging, { recursive: true, force: true })
}

async function compile() {
  const tsc = join(dirname(require.resolve('typescript/package.json')), 'bin/tsc')
  const options = ['--project', join(root, 'src'), '--outDir', esm, '--pretty', 'false']
  await promisify(execFile)(process.execPath, [tsc, ...options]).catch((error) => {
    throw new Error((error.stdout || error.message).trim())
  })
}

/** Declarations of inner files that no entry mentions tell users nothing, and may name types that users don't have. */
async function keepReachableDeclarations() {
  const reachable = new Set(exported('import').filter((file) => file.endsWith('.d.ts')))
  for (const file of reachable) {
    for (const [, specifier] of (await readFile(file, 'utf8')).matchAll(
      /(?:from|import\(?)\s*["'](\.[^"']+)\.js["']/g,
    )) {
      reachable.add(join(dirname(file), `${specifier}.d.ts`))
    }
  }
  for (const file of await filesIn(esm, '.d.ts')) if (!reachable.has(file)) await rm(file)
}

/** What package.json names as a program can be run as it lies there. */
async function makeExecutable() {
  for (const file of Object.values(manifest.bin)) await chmod(join(made, relative('dist', file)), 0o755)
}

async function mirrorAsCommonJs() {
  // Nobody requires a program, and it loads what it needs with import().
  const files = (await filesIn(esm, '.js')).filter((file) => !relative(esm, file).startsWith('cli'))
  await bundle({
    entryPoints: files,
    outbase: esm,
    outdir: cjs,
    // What CommonJS calls it.
    define: { 'import.meta.dirname': '__dirname' },
    plugins: [{ name: 'file by file', setup: (builder) => builder.onResolve({ filter: /.*/ }, leaveOutside) }],
  })
  for (const file of await filesIn(esm, '.d.ts')) await copyFile(file, join(cjs, relative(esm, file)))
  await writeFile(join(cjs, 'package.json'), '{ "type": "commonjs" }\n')
}

/** @type {(args: import('esbuild').OnResolveArgs) => import('esbuild').OnResolveResult | undefined} */
function leaveOutside({ path, importer, kind }) {
  if (kind === 'entry-point') return undefined
  if (path !== 'jose') return { path, external: true }
  const twin = join(cjs, relative(esm, importer))
  const fromTwin = relative(dirname(twin), JOSE)
  return { path: fromTwin.startsWith('.') ? fromTwin : `./${fromTwin}`, external: true }
}

async function inlineJose() {
  const home = dirname(require.resolve('jose/package.json'))
  const licence = await readFile(join(home, 'LICENSE.md'), 'utf8')
  await bundle({
    stdin: { contents: `export { ${(await namesUsedOfJose()).join(', ')} } from 'jose'`, resolveDir: root },
    outfile: JOSE,
    banner: { js: `/*! The parts of jose ${require('jose/package.json').version} in use.\n\n${licence.trim()}\n*/` },
  })
}

async function namesUsedOfJose() {
  const names = new Set()
  for (const file of await filesIn(esm, '.js')) {
    for (const [statement, list] of (await readFile(file, 'utf8')).matchAll(
      /^(?:im|ex)port ([^'"]* )from ['"]jose\b.*$/gm,
    )) {
      const named = /^\{(.*)\} $/s.exec(list ?? '')?.[1]
      if (named === undefined)
        throw new Error(`${relative(esm, file)}: import jose's parts by name, from 'jose': ${statement}`)
      for (const name of named.split(',')) names.add(name.trim().split(' ')[0])
    }
  }
  names.delete('')
  return [...names]
}

/** The console's files, once for both worlds, compressed as they are sent; Swagger UI's among them, with its licences. */
async function packAssets() {
  const own = join(root, 'src/console/assets')
  const swaggerUi = dirname(require.resolve('swagger-ui-dist/package.json'))
  const style = await readFile(join(swaggerUi, 'swagger-ui.css'), 'utf8')
  const script = await readFile(join(swaggerUi, 'swagger-ui-bundle.js'), 'utf8')
  await mkdir(assets)
  await pack('swagger-ui.js', script)
  for (const name of await readdir(own)) {
    const content = await readFile(join(own, name), 'utf8')
    // In a layer below ours, whatever the specificity of its selectors.
    await pack(name, name === 'reference.css' ? `@layer swagger-ui {\n${style}\n}\n${content}` : content)
  }
  for (const name of ['LICENSE', 'NOTICE', 'swagger-ui-bundle.js.LICENSE.txt'])
    await copyFile(join(swaggerUi, name), join(assets, `swagger-ui.${name.replace(/^swagger-ui-/, '')}`))
}

/** @param {string} name @param {string} content */
async function pack(name, content) {
  const sent = content.replaceAll(/\/[*/]# sourceMappingURL=.*/g, '')
  await writeFile(join(assets, `${name}.gz`), gzipSync(sent, { level: 9 }))
}

/** Every file that package.json exports was made. @param {'import' | 'require'} condition */
async function checkExports(condition) {
  for (const file of exported(condition)) {
    await access(file).catch(() => {
      throw new Error(`package.json exports ${relative(made, file)}, which no source makes.`)
    })
  }
}

async function moveIntoPlace() {
  for (let attempt = 1; ; attempt++) {
    await rename(dist, join(staging, `former-${attempt}`)).catch((error) => {
      if (error.code !== 'ENOENT') throw error
    })
    try {
      return await rename(made, dist)
    } catch (error) {
      // Another build may just have put its own there.
      if (attempt === 5) throw error
    }
  }
}

/** @param {import('esbuild').BuildOptions} options */
async function bundle(options) {
  const { warnings } = await build({
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20.19',
    // Jest's CommonJS has no import().
    supported: { 'dynamic-import': false },
    logLevel: 'silent',
    absWorkingDir: made,
    ...options,
  })
  // Most likely something that CommonJS hasn't got, such as import.meta.
  for (const { text, location } of warnings) throw new Error(`${location?.file}:${location?.line} ${text}`)
}

/** @param {'import' | 'require'} condition */
function exported(condition) {
  const targets = Object.values(manifest.exports).flatMap((entry) => Object.values(entry[condition] ?? {}))
  return targets.map((target) => join(made, relative('dist', target)))
}

/** @param {string} folder @param {string} suffix */
async function filesIn(folder, suffix) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith(suffix))
    .map((entry) => join(entry.parentPath, entry.name))
}
