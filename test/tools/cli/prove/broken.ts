import type { Express } from 'express'
import type { TestContext } from 'vitest'
import { managementApi } from '../../../../src/tools/management/index.js'
import { APIS, haproxy, nginx, proveDeployment, type DeploymentOptions } from './deployment.js'

/** A deployment with a mistake, and the deviation that names it. */
export interface BrokenDeployment {
  readonly name: string
  readonly options: DeploymentOptions
  /** A row of docs/http.md that is missed, and words of the fix. */
  readonly row: string
  readonly fix: RegExp
}

/** Proves that `prove` finds the mistake of a deployment, and says how to fix it. */
export async function expectFound(
  { options, row, fix }: BrokenDeployment,
  { expect }: Pick<TestContext, 'expect'>,
): Promise<void> {
  const { report, result } = await proveDeployment(options)
  expect(result.code).toBe(1)
  const found = report.deviations.filter((deviation) => deviation.row === row && fix.test(deviation.fix))
  expect(found, JSON.stringify(report.deviations, null, 2)).not.toEqual([])
  expect(result.stdout).not.toMatch(/epa_(?:key|sec)_\w|eyJ\w/)
}

const broken = (
  name: string,
  row: BrokenDeployment['row'],
  fix: RegExp,
  options: DeploymentOptions,
): BrokenDeployment => ({ name, row, fix, options })
const CACHE = 'proxy_cache_path FOLDER/cache keys_zone=answers:1m;'

/** Mistakes that were made with real proxies. The first ones are quick to build, and are tested in `npm test`. */
export const BROKEN: readonly BrokenDeployment[] = [
  broken('nginx removes the Authorization header', 'T19', /Pass the Authorization header on/, {
    proxy: nginx({ location: 'proxy_set_header Authorization "";' }),
  }),
  broken('nginx keeps answers, whatever Cache-Control and Vary say', 'C3', /proxy_ignore_headers/, {
    proxy: nginx({
      http: CACHE,
      location:
        'proxy_cache answers; proxy_cache_key $request_uri; proxy_cache_valid any 1m; proxy_ignore_headers Cache-Control Expires Vary Set-Cookie;',
    }),
  }),
  broken('one of two instances has another secret', 'T19', /the same options: store, secret/, {
    instances: [{}, { options: { secret: 'a former secret of 32 characters or more' } }],
    proxy: haproxy(),
  }),
  broken('a middleware reads the form', 'T19', /multer/, { instances: [{ trustProxy: false, before: consumeForms }] }),
  broken('nginx merges double slashes', 'P12', /merge_slashes/, {
    proxy: nginx({ locations: 'location / { proxy_pass http://api/; }' }),
  }),
  broken('nginx adds a slash to the path', 'T19', /both with a slash at the end/, {
    path: '/v1',
    proxy: nginx({ locations: 'location /v1 { proxy_pass http://api/; } location / { proxy_pass http://api; }' }),
  }),
  broken('trust proxy is not set', 'L3', /'trust proxy', 1/, { instances: [{ trustProxy: false }], proxy: haproxy() }),
  broken('trust proxy believes everybody', 'L3', /'trust proxy', 1/, {
    instances: [{ trustProxy: true }],
    proxy: nginx({ location: 'proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;' }),
  }),
  broken('nginx does not send X-Forwarded-For', 'L3', /X-Forwarded-For/, {
    proxy: nginx({ location: 'proxy_set_header X-Forwarded-For "";' }),
  }),
  broken('nginx refuses bodies of more than 8 KiB', 'T4', /client_max_body_size/, {
    proxy: nginx({ server: 'client_max_body_size 8k;' }),
  }),
  broken('the clock of one of two instances is 90 seconds ahead', 'G4', /NTP/, {
    instances: [{}, { options: { now: () => Date.now() + 90_000 } }],
    proxy: haproxy(),
  }),
  broken('the clock of one of two instances is 90 seconds behind', 'G4', /NTP/, {
    instances: [{}, { options: { now: () => Date.now() - 90_000 } }],
    proxy: nginx(),
  }),
  broken('nginx removes WWW-Authenticate', 'G2', /proxy_hide_header WWW-Authenticate/, {
    proxy: nginx({ location: 'proxy_hide_header WWW-Authenticate;' }),
  }),
  broken('nginx takes short headers only', 'G4', /large_client_header_buffers/, {
    proxy: nginx({ server: 'large_client_header_buffers 4 1k;' }),
  }),
  broken('HAProxy takes short headers only', 'G4', /tune\.bufsize/, {
    proxy: haproxy({ global: '  tune.bufsize 4096' }),
  }),
  broken('nginx replaces answers with 401 by a page of its own', 'T9', /proxy_intercept_errors off/, {
    proxy: nginx({
      locations:
        'error_page 401 /401.html; location = /401.html { internal; return 401 "<h1>Unauthorized</h1>"; } location / { proxy_pass http://api; proxy_intercept_errors on; }',
    }),
  }),
  broken('nginx redirects to https, POST too', 'T19', /without a redirect/, {
    proxy: nginx({ location: 'if ($request_method = POST) { return 301 https://$host$request_uri; }' }),
  }),
  broken('nginx has no route for /.well-known/ at the root', 'P8', /\/\.well-known\/|under another path/, {
    path: '/v1',
    instances: [{ prefix: '/v1' }],
    proxy: nginx({ locations: 'location /v1/ { proxy_pass http://api; } location / { return 404; }' }),
  }),
  broken('nginx adds Access-Control-Allow-Origin to every answer', 'X1', /add_header Access-Control/, {
    proxy: nginx({ server: 'add_header Access-Control-Allow-Origin * always;' }),
  }),
  broken('nginx compresses token answers', 'C4', /gzip off/, {
    proxy: nginx({ server: 'gzip on; gzip_proxied any; gzip_min_length 0; gzip_types application/json;' }),
  }),
  broken('nginx lets GET and POST through only', 'T1', /limit_except/, {
    proxy: nginx({ location: 'limit_except GET POST { deny all; }' }),
  }),
  broken('nginx drops a key header with an underscore', 'G16', /underscores_in_headers on/, {
    options: {
      apis: {
        orders: { scheme: 'oauth2', scopes: { 'orders:read': 'Read orders', 'orders:write': 'Change orders' } },
        invoices: { scheme: 'oauth2' },
        catalog: { scheme: 'apiKey', header: 'X_Api_Key' },
      },
    },
    proxy: nginx(),
  }),
  broken('a firewall blocks long access tokens', 'G16', /WAF/, {
    proxy: nginx({ location: 'if ($http_authorization ~ "^Bearer .{400}") { return 403; }' }),
  }),
  broken('HAProxy denies HEAD', 'P5', /Let every method reach|let every method reach|Let HEAD reach/, {
    proxy: haproxy({ frontend: '  http-request deny deny_status 405 if METH_HEAD' }),
  }),
  broken('the server has another baseUrl', 'M1', /baseUrl of this --config/, {
    instances: [{ options: { baseUrl: 'http://10.0.0.5:3000' } }],
    proxy: nginx(),
  }),
  broken('nginx writes another address into answers', 'M1', /sub_filter/, {
    proxy: nginx({
      location:
        'proxy_set_header Accept-Encoding ""; sub_filter_types application/json; sub_filter_once off; sub_filter localhost internal;',
    }),
  }),
  broken('HAProxy removes Cache-Control', 'C3', /Let Cache-Control/, {
    proxy: haproxy({ backend: '  http-response del-header Cache-Control' }),
  }),
  broken('HAProxy adds a cookie to stick by', 'C4', /cookie/, {
    proxy: haproxy({ backend: '  cookie SERVERID insert indirect\n  dynamic-cookie-key prove' }),
  }),
  broken('one of two instances has another store', 'M3', /store/, {
    instances: [{}, { strangeStore: true }],
    proxy: haproxy(),
  }),
  broken('nginx keeps answers for each access token for a minute', 'I8', /proxy_cache/, {
    proxy: nginx({
      http: CACHE,
      location:
        'proxy_cache answers; proxy_cache_key $request_uri$http_authorization$http_x_api_key; proxy_cache_valid 200 1m; proxy_ignore_headers Cache-Control Vary;',
    }),
  }),
  broken('nginx drops the query string in a rewrite', 'T7', /\$is_args\$args/, {
    proxy: nginx({ locations: 'location ~ ^(/.*)$ { proxy_pass http://api$1; }' }),
  }),
  broken('nginx replaces answers with 403 by a page of its own', 'G8', /error_page 403/, {
    proxy: nginx({
      locations:
        'error_page 403 /403.html; location = /403.html { internal; return 403 "<h1>Forbidden</h1>"; } location / { proxy_pass http://api; proxy_intercept_errors on; }',
    }),
  }),
  broken('nginx replaces answers with 429 by a page of its own', 'T11', /proxy_intercept_errors off/, {
    proxy: nginx({
      locations:
        'error_page 429 /429.html; location = /429.html { internal; return 429 "<h1>Slow down</h1>"; } location / { proxy_pass http://api; proxy_intercept_errors on; }',
    }),
  }),
  broken('nginx removes Vary', 'G19', /proxy_hide_header Vary/, {
    proxy: nginx({ location: 'proxy_hide_header Vary;' }),
  }),
  broken('HAProxy routes the token endpoint alone', 'I6', /another path/, {
    proxy: haproxy({ frontend: '  http-request deny deny_status 404 if { path_end /introspect /revoke }' }),
  }),
  broken('a route has no guard', 'G2', /Put the guard in front/, {
    instances: [{ trustProxy: false, before: serveWithoutGuard }],
  }),
]

const SERVICES = { args: ['--services'] }
const MANAGED = { options: { apis: { ...APIS, management: managementApi } } }
const CHECK_ONLY = (directives: string) =>
  `location ~ /check$ { proxy_pass http://api; ${directives} } location / { proxy_pass http://api; }`

/** Mistakes in front of what resource servers call, and of management. */
export const BROKEN_SERVICES: readonly BrokenDeployment[] = [
  broken('nginx keeps answers to POST, also of check', 'S10', /proxy_cache_methods/, {
    ...SERVICES,
    proxy: nginx({
      http: CACHE,
      locations: CHECK_ONLY(
        'proxy_cache answers; proxy_cache_methods POST; proxy_cache_key $request_uri; proxy_cache_valid 204 1m; proxy_ignore_headers Cache-Control;',
      ),
    }),
  }),
  broken('nginx replaces problems of management', 'G18', /page|error_page/, {
    ...MANAGED,
    proxy: nginx({
      locations:
        'error_page 403 /403.html; location = /403.html { internal; return 403 "<h1>Forbidden</h1>"; } location / { proxy_pass http://api; } location /management/ { proxy_pass http://api; proxy_intercept_errors on; }',
    }),
  }),
  broken('nginx answers 2xx for a refusal of check', 'S10', /answer 2xx itself/, {
    ...SERVICES,
    proxy: nginx({
      locations: `error_page 401 =200 /ok; location = /ok { internal; return 200; } ${CHECK_ONLY('proxy_intercept_errors on;')}`,
    }),
  }),
  broken('nginx removes Authorization from check', 'S9', /proxy_set_header Authorization/, {
    ...SERVICES,
    proxy: nginx({ locations: CHECK_ONLY('proxy_set_header Authorization "";') }),
  }),
  broken('nginx passes no bodies to check', 'S9', /proxy_pass_request_body/, {
    ...SERVICES,
    proxy: nginx({ locations: CHECK_ONLY('proxy_pass_request_body off; proxy_set_header Content-Length "";') }),
  }),
  broken('HAProxy removes Cache-Control from check', 'S9', /Let Cache-Control and Max-Age/, {
    ...SERVICES,
    proxy: haproxy({
      frontend: '  http-request set-var(txn.path) path',
      backend: '  http-response del-header Cache-Control if { var(txn.path) -m end /check }',
    }),
  }),
  broken('nginx keeps answers of management', 'C3', /proxy_cache/, {
    ...MANAGED,
    proxy: nginx({
      http: CACHE,
      locations:
        'location / { proxy_pass http://api; } location /management/applications { proxy_pass http://api; proxy_cache answers; proxy_cache_key $request_uri; proxy_cache_valid any 1m; proxy_ignore_headers Cache-Control; }',
    }),
  }),
  broken('HAProxy rewrites the type of problems', 'G18', /Content-Type/, {
    ...MANAGED,
    proxy: haproxy({
      backend: '  http-response set-header Content-Type application/json if { res.hdr(Content-Type) -m sub problem }',
    }),
  }),
  broken('management answers without a token', 'G2', /Put the guard in front/, {
    ...MANAGED,
    instances: [{ trustProxy: false, before: answerWithoutToken }],
  }),
  broken('management is routed elsewhere', 'G16', /under another path/, {
    ...MANAGED,
    proxy: nginx({
      locations: 'location / { proxy_pass http://api; } location /management/applications { return 404; }',
    }),
  }),
]

function answerWithoutToken(app: Express): void {
  app.get('/management/applications', (_req, res) => void res.json({ items: [] }))
}

/** As a middleware for uploads does. */
function consumeForms(app: Express): void {
  app.use((req, _res, next) => void req.resume().on('end', () => next()))
}

function serveWithoutGuard(app: Express): void {
  app.get('/orders/items', (_req, res) => void res.json(['an order']))
}
