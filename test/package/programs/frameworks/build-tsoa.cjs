// Generates the routes of both controllers, and compiles them.
const { execFileSync } = require('node:child_process')
const { writeFileSync } = require('node:fs')

const node = (...args) => execFileSync(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
for (const name of ['secured', 'open']) {
  const routes = { routesDir: `tsoa/${name}`, authenticationModule: './tsoa/authentication.ts' }
  const spec = { outputDirectory: `tsoa/${name}`, specVersion: 3, name: 'Orders', version: '1' }
  spec.securityDefinitions = { oauth2: { type: 'http', scheme: 'bearer' } }
  writeFileSync(`${name}.json`, JSON.stringify({ entryFile: `tsoa/${name}/controller.ts`, spec, routes }))
  node('../node_modules/@tsoa/cli/dist/cli.js', 'spec-and-routes', '-c', `${name}.json`)
}
const options = [
  '--module',
  'commonjs',
  '--target',
  'es2022',
  '--experimentalDecorators',
  '--skipLibCheck',
  '--esModuleInterop',
]
node(
  '../node_modules/typescript/lib/tsc.js',
  ...options,
  '--rootDir',
  'tsoa',
  '--outDir',
  'built',
  'tsoa/secured/routes.ts',
  'tsoa/open/routes.ts',
)
