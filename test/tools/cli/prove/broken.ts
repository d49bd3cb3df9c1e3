import type { Express } from 'express'
import { managementApi } from '../../../../src/tools/management/index.js'
import { APIS, haproxy, nginx, type DeploymentOptions } from './deployment.js'

/** A deployment with a mistake, and the deviation that names it. */
export interface BrokenDeployment {
  readonly name: string
  readonly options: DeploymentOptions
  /** A row of docs/http.md that is missed, and words of the fix. */
  readonly row: string
  readonly fix: RegExp
}

const CACHE = 'proxy_cache_path FOLDER/cache keys_zone=answers:1m;'

/** Mistakes that were made with real proxies. The first ones are quick to build, and are tested in `npm test`. */
export const BROKEN: readonly BrokenDeployment[] = [
  {
    name: 'nginx removes the Authorization header',
    options: { proxy: nginx({ location: 'proxy_set_header Authorization "";' }) },
    row: 'T19',
    fix: /Pass the Authorization header on/,
  },
  {
    name: 'nginx keeps answers, whatever Cache-Control and Vary say',
    options: {
      proxy: nginx({
        http: CACHE,
        location:
          'proxy_cache answers; proxy_cache_key $request_uri; proxy_cache_valid any 1m; proxy_ignore_headers Cache-Control Expires Vary Set-Cookie;',
      }),
    },
    row: 'C3',
    fix: /proxy_ignore_headers/,
  },
  {
    name: 'one of two instances has another secret',
    options: {
      instances: [{}, { options: { secret: 'a former secret of 32 characters or more' } }],
      proxy: haproxy(),
    },
    row: 'T19',
    fix: /the same options: store, secret/,
  },
  {
    name: 'a middleware reads the form',
    options: { instances: [{ trustProxy: false, before: consumeForms }] },
    row: 'T19',
    fix: /multer/,
  },
  {
    name: 'nginx merges double slashes',
    options: { proxy: nginx({ locations: 'location / { proxy_pass http://api/; }' }) },
    row: 'P12',
    fix: /merge_slashes/,
  },
  {
    name: 'nginx adds a slash to the path',
    options: {
      path: '/v1',
      proxy: nginx({ locations: 'location /v1 { proxy_pass http://api/; } location / { proxy_pass http://api; }' }),
    },
    row: 'T19',
    fix: /both with a slash at the end/,
  },
  {
    name: 'trust proxy is not set',
    options: { instances: [{ trustProxy: false }], proxy: haproxy() },
    row: 'L3',
    fix: /'trust proxy', 1/,
  },
  {
    name: 'trust proxy believes everybody',
    options: {
      instances: [{ trustProxy: true }],
      proxy: nginx({ location: 'proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;' }),
    },
    row: 'L3',
    fix: /'trust proxy', 1/,
  },
  {
    name: 'nginx does not send X-Forwarded-For',
    options: { proxy: nginx({ location: 'proxy_set_header X-Forwarded-For "";' }) },
    row: 'L3',
    fix: /X-Forwarded-For/,
  },
  {
    name: 'nginx refuses bodies of more than 8 KiB',
    options: { proxy: nginx({ server: 'client_max_body_size 8k;' }) },
    row: 'T4',
    fix: /client_max_body_size/,
  },
  {
    name: 'the clock of one of two instances is 90 seconds ahead',
    options: { instances: [{}, { options: { now: () => Date.now() + 90_000 } }], proxy: haproxy() },
    row: 'G4',
    fix: /NTP/,
  },
  {
    name: 'the clock of one of two instances is 90 seconds behind',
    options: { instances: [{}, { options: { now: () => Date.now() - 90_000 } }], proxy: nginx() },
    row: 'G4',
    fix: /NTP/,
  },
  {
    name: 'nginx removes WWW-Authenticate',
    options: { proxy: nginx({ location: 'proxy_hide_header WWW-Authenticate;' }) },
    row: 'G2',
    fix: /proxy_hide_header WWW-Authenticate/,
  },
  {
    name: 'nginx takes short headers only',
    options: { proxy: nginx({ server: 'large_client_header_buffers 4 1k;' }) },
    row: 'G4',
    fix: /large_client_header_buffers/,
  },
  {
    name: 'HAProxy takes short headers only',
    options: { proxy: haproxy({ global: '  tune.bufsize 4096' }) },
    row: 'G4',
    fix: /tune\.bufsize/,
  },
  {
    name: 'nginx replaces answers with 401 by a page of its own',
    options: {
      proxy: nginx({
        locations:
          'error_page 401 /401.html; location = /401.html { internal; return 401 "<h1>Unauthorized</h1>"; } location / { proxy_pass http://api; proxy_intercept_errors on; }',
      }),
    },
    row: 'T9',
    fix: /proxy_intercept_errors off/,
  },
  {
    name: 'nginx redirects to https, POST too',
    options: { proxy: nginx({ location: 'if ($request_method = POST) { return 301 https://$host$request_uri; }' }) },
    row: 'T19',
    fix: /without a redirect/,
  },
  {
    name: 'nginx has no route for /.well-known/ at the root',
    options: {
      path: '/v1',
      instances: [{ prefix: '/v1' }],
      proxy: nginx({ locations: 'location /v1/ { proxy_pass http://api; } location / { return 404; }' }),
    },
    row: 'P8',
    fix: /\/\.well-known\/|under another path/,
  },
  {
    name: 'nginx adds Access-Control-Allow-Origin to every answer',
    options: { proxy: nginx({ server: 'add_header Access-Control-Allow-Origin * always;' }) },
    row: 'X1',
    fix: /add_header Access-Control/,
  },
  {
    name: 'nginx compresses token answers',
    options: {
      proxy: nginx({ server: 'gzip on; gzip_proxied any; gzip_min_length 0; gzip_types application/json;' }),
    },
    row: 'C4',
    fix: /gzip off/,
  },
  {
    name: 'nginx lets GET and POST through only',
    options: { proxy: nginx({ location: 'limit_except GET POST { deny all; }' }) },
    row: 'T1',
    fix: /limit_except/,
  },
  {
    name: 'nginx drops a key header with an underscore',
    options: {
      options: {
        apis: {
          orders: { scheme: 'oauth2', scopes: { 'orders:read': 'Read orders', 'orders:write': 'Change orders' } },
          invoices: { scheme: 'oauth2' },
          catalog: { scheme: 'apiKey', header: 'X_Api_Key' },
        },
      },
      proxy: nginx(),
    },
    row: 'G16',
    fix: /underscores_in_headers on/,
  },
  {
    name: 'a firewall blocks long access tokens',
    options: { proxy: nginx({ location: 'if ($http_authorization ~ "^Bearer .{400}") { return 403; }' }) },
    row: 'G16',
    fix: /WAF/,
  },
  {
    name: 'HAProxy denies HEAD',
    options: { proxy: haproxy({ frontend: '  http-request deny deny_status 405 if METH_HEAD' }) },
    row: 'P5',
    fix: /Let every method reach|let every method reach|Let HEAD reach/,
  },
  {
    name: 'the server has another baseUrl',
    options: { instances: [{ options: { baseUrl: 'http://10.0.0.5:3000' } }], proxy: nginx() },
    row: 'M1',
    fix: /baseUrl of this --config/,
  },
  {
    name: 'nginx writes another address into answers',
    options: {
      proxy: nginx({
        location:
          'proxy_set_header Accept-Encoding ""; sub_filter_types application/json; sub_filter_once off; sub_filter localhost internal;',
      }),
    },
    row: 'M1',
    fix: /sub_filter/,
  },
  {
    name: 'HAProxy removes Cache-Control',
    options: { proxy: haproxy({ backend: '  http-response del-header Cache-Control' }) },
    row: 'C3',
    fix: /Let Cache-Control/,
  },
  {
    name: 'HAProxy adds a cookie to stick by',
    options: { proxy: haproxy({ backend: '  cookie SERVERID insert indirect\n  dynamic-cookie-key prove' }) },
    row: 'C4',
    fix: /cookie/,
  },
  {
    name: 'one of two instances has another store',
    options: { instances: [{}, { strangeStore: true }], proxy: haproxy() },
    row: 'M3',
    fix: /store/,
  },
  {
    name: 'nginx keeps answers for each access token for a minute',
    options: {
      proxy: nginx({
        http: CACHE,
        location:
          'proxy_cache answers; proxy_cache_key $request_uri$http_authorization$http_x_api_key; proxy_cache_valid 200 1m; proxy_ignore_headers Cache-Control Vary;',
      }),
    },
    row: 'I8',
    fix: /proxy_cache/,
  },
  {
    name: 'nginx drops the query string in a rewrite',
    options: { proxy: nginx({ locations: 'location ~ ^(/.*)$ { proxy_pass http://api$1; }' }) },
    row: 'T7',
    fix: /\$is_args\$args/,
  },
  {
    name: 'nginx replaces answers with 403 by a page of its own',
    options: {
      proxy: nginx({
        locations:
          'error_page 403 /403.html; location = /403.html { internal; return 403 "<h1>Forbidden</h1>"; } location / { proxy_pass http://api; proxy_intercept_errors on; }',
      }),
    },
    row: 'G8',
    fix: /error_page 403/,
  },
  {
    name: 'nginx replaces answers with 429 by a page of its own',
    options: {
      proxy: nginx({
        locations:
          'error_page 429 /429.html; location = /429.html { internal; return 429 "<h1>Slow down</h1>"; } location / { proxy_pass http://api; proxy_intercept_errors on; }',
      }),
    },
    row: 'T11',
    fix: /proxy_intercept_errors off/,
  },
  {
    name: 'nginx removes Vary',
    options: { proxy: nginx({ location: 'proxy_hide_header Vary;' }) },
    row: 'G19',
    fix: /proxy_hide_header Vary/,
  },
  {
    name: 'HAProxy routes the token endpoint alone',
    options: {
      proxy: haproxy({ frontend: '  http-request deny deny_status 404 if { path_end /introspect /revoke }' }),
    },
    row: 'I6',
    fix: /another path/,
  },
  {
    name: 'a route has no guard',
    options: { instances: [{ trustProxy: false, before: serveWithoutGuard }] },
    row: 'G2',
    fix: /Put the guard in front/,
  },
]

const SERVICES = { args: ['--services'] }
const MANAGED = { options: { apis: { ...APIS, management: managementApi } } }
const CHECK_ONLY = (directives: string) =>
  `location ~ /check$ { proxy_pass http://api; ${directives} } location / { proxy_pass http://api; }`

/** Mistakes in front of what resource servers call, and of management. */
export const BROKEN_SERVICES: readonly BrokenDeployment[] = [
  {
    name: 'nginx keeps answers to POST, also of check',
    options: {
      ...SERVICES,
      proxy: nginx({
        http: CACHE,
        locations: CHECK_ONLY(
          'proxy_cache answers; proxy_cache_methods POST; proxy_cache_key $request_uri; proxy_cache_valid 204 1m; proxy_ignore_headers Cache-Control;',
        ),
      }),
    },
    row: 'S10',
    fix: /proxy_cache_methods/,
  },
  {
    name: 'nginx replaces problems of management',
    options: {
      ...MANAGED,
      proxy: nginx({
        locations:
          'error_page 403 /403.html; location = /403.html { internal; return 403 "<h1>Forbidden</h1>"; } location / { proxy_pass http://api; } location /management/ { proxy_pass http://api; proxy_intercept_errors on; }',
      }),
    },
    row: 'G18',
    fix: /page|error_page/,
  },
  {
    name: 'nginx answers 2xx for a refusal of check',
    options: {
      ...SERVICES,
      proxy: nginx({
        locations: `error_page 401 =200 /ok; location = /ok { internal; return 200; } ${CHECK_ONLY('proxy_intercept_errors on;')}`,
      }),
    },
    row: 'S10',
    fix: /answer 2xx itself/,
  },
  {
    name: 'nginx removes Authorization from check',
    options: { ...SERVICES, proxy: nginx({ locations: CHECK_ONLY('proxy_set_header Authorization "";') }) },
    row: 'S9',
    fix: /proxy_set_header Authorization/,
  },
  {
    name: 'nginx passes no bodies to check',
    options: {
      ...SERVICES,
      proxy: nginx({ locations: CHECK_ONLY('proxy_pass_request_body off; proxy_set_header Content-Length "";') }),
    },
    row: 'S9',
    fix: /proxy_pass_request_body/,
  },
  {
    name: 'HAProxy removes Cache-Control from check',
    options: {
      ...SERVICES,
      proxy: haproxy({
        frontend: '  http-request set-var(txn.path) path',
        backend: '  http-response del-header Cache-Control if { var(txn.path) -m end /check }',
      }),
    },
    row: 'S9',
    fix: /Let Cache-Control and Max-Age/,
  },
  {
    name: 'nginx keeps answers of management',
    options: {
      ...MANAGED,
      proxy: nginx({
        http: CACHE,
        locations:
          'location / { proxy_pass http://api; } location /management/applications { proxy_pass http://api; proxy_cache answers; proxy_cache_key $request_uri; proxy_cache_valid any 1m; proxy_ignore_headers Cache-Control; }',
      }),
    },
    row: 'C3',
    fix: /proxy_cache/,
  },
  {
    name: 'HAProxy rewrites the type of problems',
    options: {
      ...MANAGED,
      proxy: haproxy({
        backend: '  http-response set-header Content-Type application/json if { res.hdr(Content-Type) -m sub problem }',
      }),
    },
    row: 'G18',
    fix: /Content-Type/,
  },
  {
    name: 'management answers without a token',
    options: { ...MANAGED, instances: [{ trustProxy: false, before: answerWithoutToken }] },
    row: 'G2',
    fix: /Put the guard in front/,
  },
  {
    name: 'management is routed elsewhere',
    options: {
      ...MANAGED,
      proxy: nginx({
        locations: 'location / { proxy_pass http://api; } location /management/applications { return 404; }',
      }),
    },
    row: 'G2',
    fix: /under another path/,
  },
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
