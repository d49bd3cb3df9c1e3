import { compileFunction } from 'node:vm'
import { transform } from 'esbuild'
import { blocksOf, readPage } from '../docs/pages.js'

/** What a block leaves to its reader's app. */
interface Surroundings {
  /** The variables that it uses and does not declare. */
  readonly variables?: Readonly<Record<string, unknown>>
  /** The modules that it imports. */
  readonly modules?: Readonly<Record<string, unknown>>
  /** Variables that it declares without exporting them, and that are returned all the same. */
  readonly returned?: readonly string[]
}

/**
 * Runs a block of code of a page, and returns what it exports. The block is the n-th one in JavaScript or TypeScript below
 * the heading, counted from 0. It runs as the body of a function whose parameters are the variables.
 */
export async function runBlock(
  page: string,
  heading: string,
  { variables = {}, modules = {}, returned = [] }: Surroundings,
  index = 0,
): Promise<Readonly<Record<string, unknown>>> {
  const source = `${codeOfBlock(page, heading, index)}\nexport { ${returned.join(', ')} }`
  const { code } = await transform(source, { loader: 'ts', format: 'cjs' })
  const module = { exports: {} }
  const run = compileFunction(code, ['module', 'require', ...Object.keys(variables)], {
    filename: `${page}#${heading}-${index}`,
  }) as (...parameters: unknown[]) => void
  run(module, (name: string) => loadModule(modules, name), ...Object.values(variables))
  return module.exports
}

/** The n-th block in JavaScript or TypeScript between a heading and the next one. */
export function codeOfBlock(path: string, heading: string, index = 0): string {
  const page = readPage(path)
  const lines = page.text.split('\n')
  const first = lines.findIndex((line) => new RegExp(`^#+ ${heading}$`).test(line))
  const length = lines.slice(first + 1).findIndex((line) => /^##? /.test(line))
  const last = length < 0 ? lines.length : first + 1 + length
  const block = blocksOf(page).filter(
    ({ language, line }) => ['js', 'ts'].includes(language) && line > first && line <= last,
  )[index]
  if (first < 0 || !block) throw new Error(`${path} has no block ${index} below the heading "${heading}"`)
  return block.code
}

function loadModule(modules: Readonly<Record<string, unknown>>, name: string): unknown {
  if (!(name in modules)) throw new Error(`The test gives no module ${name}`)
  return modules[name]
}
