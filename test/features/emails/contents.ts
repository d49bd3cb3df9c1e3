import type { Api, Language } from '../../../src/index.js'
import type { ContactChange, EmailContent } from '../../../src/features/emails/index.js'

/** The APIs of `CONTENTS`. */
export const APIS: ReadonlyMap<string, Api> = new Map<string, Api>([
  [
    'orders',
    {
      name: 'orders',
      title: 'Orders',
      description: undefined,
      scheme: 'oauth2',
      scopes: { 'orders:read': 'Read orders' },
      tokenEndpoint: 'https://api.example.com/orders/token',
      clientAuthentication: ['client_secret_basic'],
      keyHeaders: [],
      resource: 'https://api.example.com/orders',
    },
  ],
  [
    'catalog',
    {
      name: 'catalog',
      title: 'Catalog',
      description: undefined,
      scheme: 'apiKey',
      scopes: {},
      tokenEndpoint: undefined,
      clientAuthentication: [],
      keyHeaders: ['X-Api-Key'],
      resource: 'https://api.example.com/catalog',
    },
  ],
])

const KEY = `epa_key_${'4pQ7vXbK2m'.repeat(3)}Nc8t`
const SECRET = `epa_sec_${'9sLk3JhG7f'.repeat(4)}DqPzXwEr5`
const LINK = `https://example.com/developers/page#${'aB3-_'.repeat(8)}xyz`
const application = {
  id: `app_${'0123456789abcdef'.repeat(2)}`,
  name: 'Acme & <Söhne>',
  externalId: undefined,
  metadata: undefined,
  apis: { orders: { scopes: ['orders:read'] }, catalog: { scopes: [] } },
}
const delivery = {
  application,
  name: 'default',
  usableAt: ['orders', 'catalog'],
  hasPrevious: true,
  replacesEarlier: false,
  overlap: 86_400,
  expiresAt: {},
}
const expiresAt = new Date('2027-01-31T10:00:00Z')

const CHANGE = {
  at: new Date('2027-01-31T10:00:00Z'),
  by: 'ann@customer.example',
  credential: undefined,
  address: undefined,
  isRecipient: false,
}
const REMOVAL = [
  { ...CHANGE, type: 'contactRemoved', by: undefined, address: 'dev@customer.example', isRecipient: true },
] as const
/** As many as an e-mail lists. */
const EVERY_CHANGE: readonly ContactChange[] = [
  { ...CHANGE, type: 'contactRemoved', address: 'bob@customer.example' },
  { ...CHANGE, type: 'contactRemoved', address: CHANGE.by },
  { ...CHANGE, type: 'contactAdded', address: CHANGE.by },
  ...(['contactInvited', 'tokensRevoked'] as const).map((type) => ({ ...CHANGE, type })),
  ...(['key', 'secret'] as const).flatMap((kind) => {
    const of = (type: ContactChange['type'], formerName?: string) => ({
      ...CHANGE,
      type,
      credential: { kind, name: 'ware & <house>', ...(formerName !== undefined && { formerName }) },
    })
    return [
      of('credentialAdded'),
      of('credentialRotated'),
      of('credentialUpdated'),
      of('credentialUpdated', 'old'),
      of('credentialUpdated', 'older'),
      of('credentialEnded'),
      of('credentialEnded'),
    ]
  }),
]

const outage = {
  purpose: 'keySetOutage',
  application,
  keySet: { name: 'ware & <house>', jwksUri: 'https://customer.example/jwks.json' },
  since: new Date('2026-11-27T08:00:00Z'),
  refusedFrom: expiresAt,
} as const

/** What each kind of e-mail may be about. */
export function listContents(language: Language): readonly (readonly [name: string, content: EmailContent])[] {
  const common = { to: 'dev@customer.example', language }
  const contents: Record<string, EmailContent> = {
    registration: {
      ...common,
      ...delivery,
      purpose: 'registration',
      credentials: { clientId: KEY, clientSecret: SECRET },
      link: undefined,
      hasPrevious: false,
    },
    'registration by link': {
      ...common,
      ...delivery,
      purpose: 'registration',
      credentials: undefined,
      link: LINK,
      hasPrevious: false,
    },
    key: { ...common, ...delivery, purpose: 'key', credentials: { clientId: KEY }, link: undefined, overlap: 0 },
    secret: {
      ...common,
      ...delivery,
      purpose: 'secret',
      name: 'staging',
      credentials: { clientSecret: SECRET },
      link: undefined,
    },
    'secret by link': { ...common, ...delivery, purpose: 'secret', credentials: undefined, link: LINK },
    expiring: {
      ...common,
      purpose: 'expiring',
      application,
      credential: { kind: 'key', provesKey: false, name: 'default', prefix: 'epa_key_4pQ7', expiresAt },
      daysLeft: 14,
      replacementPrefix: undefined,
    },
    'expiring, with a new one': {
      ...common,
      purpose: 'expiring',
      application,
      credential: { kind: 'secret', provesKey: false, name: 'default', prefix: 'epa_sec_4pQ7', expiresAt },
      daysLeft: 0,
      replacementPrefix: 'epa_sec_9sLk',
    },
    'expiring, a key set': {
      ...common,
      purpose: 'expiring',
      application,
      credential: { kind: 'secret', provesKey: true, name: 'bank', prefix: 'private_key_jwt', expiresAt },
      daysLeft: 7,
      replacementPrefix: 'private_key_jwt',
    },
    invitation: { ...common, purpose: 'invitation', application, invitedBy: 'owner@customer.example', link: LINK },
    signIn: { ...common, purpose: 'signIn', link: LINK, code: '482913', minutes: 15 },
    approvalRequest: {
      ...common,
      purpose: 'approvalRequest',
      request: 'registration',
      application,
      contact: 'dev@customer.example',
      requested: application.apis,
      address: '203.0.113.7',
      links: { approve: `${LINK}A`, deny: `${LINK}D` },
    },
    'approvalRequest for an API': {
      ...common,
      purpose: 'approvalRequest',
      request: 'access',
      application,
      contact: 'dev@customer.example',
      requested: { catalog: { scopes: [] } },
      address: undefined,
      links: { approve: `${LINK}A`, deny: `${LINK}D` },
    },
    approved: { ...common, purpose: 'approved', application, granted: { orders: { scopes: ['orders:read'] } } },
    rejected: { ...common, purpose: 'rejected', application, api: undefined, reason: 'We only work with carriers.' },
    'rejected API': { ...common, purpose: 'rejected', application, api: 'orders', reason: undefined },
    suspended: { ...common, purpose: 'suspended', application, reason: 'Too many requests since Monday.' },
    quota: {
      ...common,
      purpose: 'quota',
      application,
      percent: 80,
      limit: 10_000,
      per: 'month',
      soft: false,
      endsAt: expiresAt,
    },
    'quota, used up': {
      ...common,
      purpose: 'quota',
      application,
      percent: 100,
      limit: 500,
      per: 'day',
      soft: true,
      endsAt: expiresAt,
    },
    keySetOutage: { ...common, ...outage, isRefused: false },
    'keySetOutage, refused': { ...common, ...outage, isRefused: true },
    changes: { ...common, purpose: 'changes', application, recipientIs: 'contact', changes: EVERY_CHANGE, more: 80 },
    'changes, removed and added again': {
      ...common,
      purpose: 'changes',
      application,
      recipientIs: 'contact',
      changes: REMOVAL,
      more: 0,
    },
    'changes, removed': {
      ...common,
      purpose: 'changes',
      application,
      recipientIs: 'removed',
      changes: REMOVAL,
      more: 0,
    },
    'changes, deleted': {
      ...common,
      purpose: 'changes',
      application,
      recipientIs: 'deleted',
      changes: [{ ...REMOVAL[0], type: 'deleted', by: 'ann@customer.example' }],
      more: 0,
    },
  }
  return Object.entries(contents)
}

/** What an e-mail must have in text and HTML. */
export function listValues(content: EmailContent): readonly string[] {
  switch (content.purpose) {
    case 'signIn':
      return [content.code, content.link]
    case 'invitation':
      return [content.link]
    case 'approvalRequest':
      return [content.links.approve, content.links.deny, content.contact]
    case 'registration':
    case 'key':
    case 'secret':
      return [...Object.values(content.credentials ?? {}), ...(content.link === undefined ? [] : [content.link])]
    case 'expiring':
    case 'approved':
    case 'rejected':
    case 'suspended':
    case 'quota':
    case 'keySetOutage':
    case 'changes':
    default:
      return 'reason' in content && content.reason !== undefined ? [content.reason] : []
  }
}
