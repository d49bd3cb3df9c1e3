/**
 * The references that are compared: their page as their own documentation recommends it, and how an operation of it is found.
 * `find` is evaluated in the page; the reference is ready when it returns something.
 */

/** @typedef {{ name: string, package?: string, files?: Record<string, string>, page?: string, find: string }} Contender */

/** @type {readonly Contender[]} */
export const CONTENDERS = [
  {
    name: 'ours',
    find: `document.querySelector('html.scripted .operation')`,
  },
  {
    name: 'Swagger UI 5.35.0',
    package: 'swagger-ui-dist@5.35.0',
    files: { 'bundle.js': 'swagger-ui-bundle.js', 'style.css': 'swagger-ui.css' },
    page: `<link rel="stylesheet" href="style.css"><div id="app"></div><script src="bundle.js"></script>
      <script>SwaggerUIBundle({ url: 'openapi.json', dom_id: '#app' })</script>`,
    find: `document.querySelector('.opblock')`,
  },
  {
    name: 'Scalar 1.72.1',
    package: '@scalar/api-reference@1.72.1',
    files: { 'standalone.js': 'dist/browser/standalone.js', chunks: 'dist/browser/chunks' },
    page: `<div id="app"></div><script src="standalone.js"></script>
      <script>Scalar.createApiReference('#app', { url: 'openapi.json', withDefaultFonts: false, telemetry: false })</script>`,
    find: `document.querySelector('main section [class*=endpoint], .section-container .operation, .endpoint-path, .scalar-api-reference section section')`,
  },
  {
    name: 'Redoc 3.0.1',
    package: 'redoc@3.0.1',
    files: { 'standalone.js': 'bundles/redoc.standalone.js' },
    page: `<script type="module" src="standalone.js"></script><redoc spec-url="openapi.json"></redoc>`,
    find: `document.querySelector('[data-testid="items-navigation-list"] a')`,
  },
  {
    name: 'Elements 9.0.25',
    package: '@stoplight/elements@9.0.25',
    files: { 'components.js': 'web-components.min.js', 'style.css': 'styles.min.css' },
    page: `<link rel="stylesheet" href="style.css"><script src="components.js"></script>
      <elements-api apiDescriptionUrl="openapi.json" router="hash" layout="sidebar"></elements-api>`,
    find: `document.querySelector('[id^="sl-toc-/"]')`,
  },
  {
    name: 'RapiDoc 9.3.8',
    package: 'rapidoc@9.3.8',
    files: { 'rapidoc.js': 'dist/rapidoc-min.js' },
    page: `<script type="module" src="rapidoc.js"></script><rapi-doc spec-url="openapi.json" render-style="read"></rapi-doc>`,
    find: `document.querySelector('rapi-doc')?.shadowRoot?.querySelector('.nav-bar-path, .section-endpoint-head, .endpoint')`,
  },
]
