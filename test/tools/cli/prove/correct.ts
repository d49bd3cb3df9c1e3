import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import express, { type Express } from 'express'
import { managementApi } from '../../../../src/tools/management/index.js'
import { APIS, haproxy, nginx, type DeploymentOptions } from './deployment.js'

/** Deployments without a mistake. The first ones are tested in `npm test`. */
export const CORRECT: Readonly<Record<string, DeploymentOptions>> = {
  'nginx in front of two instances on SQLite': { instances: [{}, {}], proxy: nginx() },
  'HAProxy that strips a prefix': {
    path: '/v1',
    instances: [{ express: 'Express 4' }],
    proxy: haproxy({ backend: '  http-request replace-path ^/v1(/.*) \\1' }),
  },
  'Express 5 without a proxy': { instances: [{ trustProxy: false }] },
  'resource servers and management behind nginx': {
    args: ['--services'],
    options: { apis: { ...APIS, management: managementApi } },
    instances: [{}, {}],
    proxy: nginx(),
  },
  'Express 4 without a proxy': { instances: [{ express: 'Express 4', trustProxy: false }] },
  nginx: { proxy: nginx() },
  HAProxy: { proxy: haproxy() },
  'HAProxy in front of two instances on PostgreSQL': { instances: [{}, {}], postgres: true, proxy: haproxy() },
  'nginx in front of three instances on PostgreSQL': { instances: [{}, {}, {}], postgres: true, proxy: nginx() },
  'nginx that passes a prefix on': { path: '/api/v1', instances: [{ prefix: '/api/v1' }], proxy: nginx() },
  'nginx that strips a prefix, and merges no slashes': {
    path: '/v1',
    proxy: nginx({
      locations: `
        location ~ ^/v1(/.*)$ { rewrite ^ $request_uri; rewrite ^/v1(/.*)$ $1 break; return 400; proxy_pass http://api$uri; }
        location / { proxy_pass http://api; }`,
      server: 'merge_slashes off;',
    }),
  },
  'the option cors': { options: { cors: { origin: ['https://console.example.com'] } }, proxy: nginx() },
  'the option cors for every origin': { options: { cors: { origin: '*' } }, instances: [{ trustProxy: false }] },
  'body parsers in front of the platform': { instances: [{ trustProxy: false, before: parseBodies }] },
  'another name for the key header, and short-lived tokens': {
    options: {
      tokens: { lifetime: 300 },
      apis: {
        orders: { scheme: 'oauth2', scopes: { 'orders:read': 'Read orders' } },
        invoices: { scheme: 'oauth2' },
        catalog: {
          scheme: 'apiKey',
          header: ['X-Partner-Key', 'Authorization'],
          scopes: { read: 'Read' },
          hideCredential: true,
        },
      },
    },
    proxy: haproxy(),
  },
  'nginx with a cache that obeys Cache-Control': {
    proxy: nginx({ http: 'proxy_cache_path FOLDER/cache keys_zone=answers:1m;', location: 'proxy_cache answers;' }),
  },
  'two proxies': {
    instances: [{ trustProxy: 2 }],
    proxy: async (instances) => {
      const inner = await nginx({ location: 'proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;' })(instances)
      const outer = await haproxy()([inner.port])
      return { port: outer.port, end: () => outer.end().then(inner.end) }
    },
  },
}

function parseBodies(app: Express): void {
  app.use(express.json(), express.urlencoded({ extended: true }))
}

/** nginx ends TLS, with a certificate of its own authority, which the process of `prove` trusts. */
export function createTlsDeployment(folder: string): DeploymentOptions {
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-days', '2']
  const algorithm = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const args = ['req', '-x509', ...algorithm, ...subject, '-keyout', key, '-out', certificate]
  execFileSync('openssl', args, { stdio: 'ignore' })
  return {
    protocol: 'https',
    proxy: nginx({ server: `ssl_certificate ${certificate}; ssl_certificate_key ${key};`, isTls: true }),
    env: { NODE_EXTRA_CA_CERTS: certificate },
  }
}
