/**
 * Builds dist: tsc compiles src to ES modules and declarations, esbuild joins the modules to a few files and translates
 * these to CommonJS, and the console's files are compressed. Which files must result is read from package.json's `exports`
 * and `bin`.
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { access, chmod, mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import * as esbuild from 'esbuild'

const require = createRequire(import.meta.url)
const root = join(import.meta.dirname, '..')
/** @type {{ exports: Record<string, Record<string, Record<string, string>>>, bin: Record<string, string>, dependencies: Record<string, string>, peerDependencies: Record<string, string> }} */
const manifest = require('../package.json')
const programs = Object.values(manifest.bin)

// Built in a folder of its own and then moved, because tests read dist while it is built.
const dist = join(root, 'dist')
const staging = join(root, `dist.${process.pid}`)
const output = join(staging, 'output')
const modules = join(output, 'modules')
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

/**
 * esbuild exports each name by two getters, for files that require each other in a circle, and values that change. There are
 * none: a joined file imports only those that are shared more widely. Without getters the package takes a tenth less memory.
 * @type {esbuild.Plugin}
 */
const PLAIN_EXPORTS = {
  name: 'plain exports',
  setup(build) {
    build.onLoad({ filter: /\.js$/ }, async ({ path }) => {
      const code = await readFile(path, 'utf8')
      const contents = code.replace(/^export \{([^}]*)\};$/m, (_, names) => {
        const members = names.replaceAll(/(\w+) as (\w+)/g, '$2: $1')
        return `module.exports = {${members}};\nObject.defineProperty(module.exports, '__esModule', { value: true });`
      })
      return { contents }
    })
  },
}

try {
  await compile()
  const required = await joinModules()
  await copyDeclarations()
  await checkTargets([...exportedFiles('import'), ...programs])
  await translateToCommonJs(required)
  await inlineJose()
  await checkTargets(exportedFiles('require'))
  for (const program of programs) await chmod(inOutput(program), 0o755)
  await compressAssets()
  await bundleReference()
  for (const name of ['marked', 'tlds', 'zod']) await copyLicence(name)
  await moveIntoPlace()
} catch (error) {
  // esbuild's errors, with the code and its module: the file that they name is removed.
  const { errors = [] } = /** @type {Partial<esbuild.BuildFailure>} */ (error)
  for (const each of errors) if (each.location) each.text += await nameModule(each.location)
  const lines = await esbuild.formatMessages(errors, { kind: 'error' })
  console.error(lines.join('') || (error instanceof Error ? error.message : error))
  process.exitCode = 1
} finally {
  await rm(staging, { recursive: true, force: true })
}

async function compile() {
  const tsc = join(dirname(require.resolve('typescript/package.json')), 'bin/tsc')
  const compiled = join(staging, 'compiled')
  const args = [tsc, '--project', import.meta.dirname, '--outDir', compiled, '--pretty', 'false']
  await promisify(execFile)(process.execPath, args, { cwd: root }).catch((error) => {
    throw new Error((error.stdout || error.message).trim())
  })
  await mkdir(output, { recursive: true })
  await rename(join(compiled, 'src'), modules)
  await publishSuite(join(compiled, 'test/stores/suite'), join(modules, 'tools/testing/store'))
}

/** The tests of stores are published, too: "express-platform-auth/testing/store". @param {string} suite @param {string} published */
async function publishSuite(suite, published) {
  await rename(suite, published)
  for (const file of await filesIn(published, 's')) {
    const code = await readFile(file, 'utf8')
    await writeFile(file, code.replaceAll("'../../../src/", "'../../../"))
  }
}

/**
 * Joins the modules that are loaded together: hundreds of small files take twice as long to load. Each module is in one file
 * only, so that a process has one instance of it, whichever subpaths it imports. marked becomes a part of the console,
 * zod one of what is derived from operations.
 * Returns the files that the exported ones import, relative to dist.
 */
async function joinModules() {
  const targets = [...exportedFiles('import').filter((path) => path.endsWith('.js')), ...programs]
  const { metafile } = await esbuild.build({
    absWorkingDir: output,
    entryPoints: targets.map((target) => inModules(target)),
    outbase: modules,
    outdir: esm,
    chunkNames: 'chunks/[hash]',
    bundle: true,
    splitting: true,
    metafile: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    external: [...Object.keys(manifest.dependencies), ...Object.keys(manifest.peerDependencies)],
    legalComments: 'none',
    logLevel: 'silent',
  })
  for (const file of Object.keys(metafile.outputs)) {
    const code = await readFile(join(output, file), 'utf8')
    checkDepth(file, code)
    await checkCharacters(file, code)
  }
  const required = new Set(exportedFiles('import').map((target) => relative('dist', target)))
  for (const file of required)
    for (const { path, external } of metafile.outputs[file]?.imports ?? []) if (!external) required.add(path)
  return [...required].filter((file) => file.endsWith('.js'))
}

/**
 * Code that finds dist/assets or package.json counts the folders above its file, and esbuild decides which file a module becomes a
 * part of: a new subpath could move it.
 * @param {string} file relative to dist
 * @param {string} code
 */
function checkDepth(file, code) {
  for (const [, path = ''] of code.matchAll(/["']((?:\.\.\/)+(?:assets|package\.json))["']/g)) {
    const found = join('dist', dirname(file), path)
    if (found !== 'dist/assets' && found !== 'package.json')
      throw new Error(`dist/${file} looks for ${path}, which is ${found}.`)
  }
}

/**
 * V8 keeps the whole source of a file in two bytes per character if one of them is beyond Latin-1, which was 0.7 MB in every
 * process. esbuild escapes such characters, but for those of tagged templates.
 * @param {string} file relative to dist
 * @param {string} code
 */
async function checkCharacters(file, code) {
  const lines = code.split('\n')
  const index = lines.findIndex((text) => /[^\0-\xFF]/.test(text))
  if (index === -1) return
  const place = await nameModule({ file, line: index + 1 })
  throw new Error(
    `dist/${file}${place}: a template of html has a character beyond Latin-1; write it as a character reference, such as &hellip;\n${lines[index]}`,
  )
}

/** By esbuild's comment above each module of a joined file. @param {Pick<esbuild.Location, 'file' | 'line'>} location */
async function nameModule({ file, line }) {
  const code = await readFile(join(output, file), 'utf8').catch(() => '')
  const above = code.split('\n').slice(0, line)
  const comment = above.findLast((text) => /^\/\/ modules\/.+\.js$/.test(text))
  return comment ? `, in ${comment.replace('// modules/', 'src/').replace(/js$/, 'ts')}` : ''
}

/** Those that an exported one refers to. Others may name types of packages that users lack. */
async function copyDeclarations() {
  const exported = exportedFiles('import').filter((file) => file.endsWith('.d.ts'))
  const reachable = new Set(exported.map(inModules))
  for (const file of reachable) {
    // Where the compiler infers a type, it names Node's modules without their prefix.
    const text = (await readFile(file, 'utf8')).replaceAll('import("http")', 'import("node:http")')
    for (const [, path] of text.matchAll(/(?:from|import\(?)\s*["'](\.[^"']+)\.js["']/g))
      reachable.add(join(dirname(file), `${path}.d.ts`))
    for (const folder of [esm, cjs]) {
      const copy = join(folder, relative(modules, file))
      await mkdir(dirname(copy), { recursive: true })
      await writeFile(copy, text)
    }
  }
}

/** File by file, for the same reason. Programs are not required by anybody. @param {string[]} files relative to dist */
async function translateToCommonJs(files) {
  const entryPoints = files.map((file) => join(output, file))
  await esbuild.build({ ...COMMONJS, entryPoints, outbase: esm, outdir: cjs, plugins: [PLAIN_EXPORTS] })
  await writeFile(join(cjs, 'package.json'), '{ "type": "commonjs" }\n')
}

/** jose is published as ES modules only, which Jest cannot load from CommonJS. What the package does not use of it is left out. */
async function inlineJose() {
  const copy = join(cjs, 'vendored/jose.js')
  const used = new Set()
  for (const file of await filesIn(cjs, '.js')) {
    const code = await readFile(file, 'utf8')
    const own = code.replaceAll(/require\("(jose\/[^"]+)"\)/g, (_, subpath) => {
      used.add(subpath)
      return `require("./${relative(dirname(file), copy)}")`
    })
    await writeFile(file, own)
  }
  const licence = await readFile(join(dirname(require.resolve('jose/package.json')), 'LICENSE.md'), 'utf8')
  const banner = `/*! jose ${require('jose/package.json').version}\n\n${licence.trim()}\n*/`
  const stdin = { contents: [...used].map((subpath) => `export * from '${subpath}'`).join('\n'), resolveDir: root }
  await esbuild.build({ ...COMMONJS, bundle: true, stdin, outfile: copy, banner: { js: banner } })
}

/** The console's files, compressed once and used by both module formats. */
async function compressAssets() {
  const own = join(root, 'src/tools/console/assets')
  const { LOOK_CSS, shortenStyle } = await import(join(modules, 'shared/web/look.js'))
  const { styleParts } = await import(join(modules, 'shared/web/parts.js'))
  const { COPY_SCRIPT } = await import(join(modules, 'shared/web/copy-script.js'))
  /** @type {Record<string, string>} */
  const shared = {
    'console.css': LOOK_CSS + styleParts('chip', 'code'),
    'reading.css': styleParts('pill', 'sidebar', 'tones'),
    'reference.css': styleParts('crumb', 'card', 'property', 'method', 'pill', 'tones', 'empty', 'sidebar'),
    'console.js': COPY_SCRIPT,
  }
  const assets = join(output, 'assets')
  await mkdir(assets)
  for (const name of new Set([...Object.keys(shared), ...(await readdir(own))])) {
    const path = join(own, name)
    const whole = (shared[name] ?? '') + (existsSync(path) ? await readFile(path, 'utf8') : '')
    const written = name.endsWith('.css') ? shortenStyle(whole) : whole
    const { code } = name.endsWith('.js') ? await esbuild.transform(whole, { minify: true }) : { code: written }
    await writeFile(join(assets, `${name}.gz`), gzipSync(code, { level: 9 }))
  }
}

/**
 * The scripts of the console's references: the page's own, the one that calls APIs, which it loads when it is needed, and the one of samples, which
 * loads the page's own when it is needed.
 */
async function bundleReference() {
  for (const name of ['reference', 'calls', 'first-use']) {
    const { outputFiles } = await esbuild.build({
      entryPoints: [join(root, `src/tools/console/browser/${name}.ts`)],
      bundle: true,
      format: 'iife',
      ...(name === 'calls' && { globalName: 'platformCalls' }),
      minify: true,
      target: ['chrome120', 'firefox120', 'safari17'],
      legalComments: 'none',
      write: false,
      logLevel: 'silent',
    })
    const text = outputFiles?.[0]?.text ?? ''
    await writeFile(join(output, `assets/${name}.js.gz`), gzipSync(text, { level: 9 }))
  }
}

/** Of packages that became a part of a file of ours. @param {string} name */
async function copyLicence(name) {
  const manifestFile = require.resolve(`${name}/package.json`)
  const licence = await readFile(join(dirname(manifestFile), 'LICENSE'), 'utf8')
  await writeFile(join(output, `assets/${name}.LICENSE`), `${name} ${require(manifestFile).version}\n\n${licence}`)
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

/** @param {string} target a path in package.json */
function inModules(target) {
  return join(modules, relative('dist/esm', target))
}

/** @param {string} folder @param {string} suffix */
async function filesIn(folder, suffix) {
  const files = await readdir(folder, { recursive: true })
  return files.filter((file) => file.endsWith(suffix)).map((file) => join(folder, file))
}
