import type { Language } from '../../../shared/contracts/application-record.js'
import { html, type Html } from '../../../shared/web/html.js'
import { en as signIn } from './sign-in/en.js'

type Kind = 'key' | 'secret'

/** The words of the portal in English. What is wrong with a text that was entered (`detail`) is known in English only. */
export const en = {
  language: 'en' as Language,
  ...signIn,

  justNow: 'just now',
  soon: 'in less than a minute',
  created: (date: Html) => html`Created ${date}`,
  lastUsed: (time: Html) => html`Last used ${time}`,
  neverUsed: 'Never used',
  back: 'Back',

  noPageOf: (name: string) =>
    `There is no such page of ${name}. The credential, colleague or invitation may have been replaced or removed.`,
  unchanged: 'Nothing was changed',
  unchangedBecause:
    'The form was sent a second time, or the application has been changed since the form was shown: by you, a colleague or us. If you were shown a new key or secret, it works; if you did not store it, make another one.',
  showApplication: 'Show the application',

  statuses: { pending: 'Pending', active: 'Active', suspended: 'Suspended', deleted: 'Deleted' },
  isPending:
    'This application is not active yet: it waits for our approval, or for the e-mail with its first credentials to arrive.',
  isSuspended:
    'This application is suspended: all its calls are refused. You can still end its credentials and revoke its access tokens. Please contact us.',
  noApplication: 'There is no application with your address.',
  register: 'Register an application',
  noApiYet: 'No API yet',
  expireSoon: (count: number) => (count === 1 ? 'One credential expires soon' : `${count} credentials expire soon`),
  application: (link: Html) => html`Application ${link}`,
  applicationId: 'Application id',
  parts: 'Parts of this page',
  notices: {
    deleted: 'The application has been deleted.',
    left: 'You are no longer a contact of the application.',
    renamed: 'The credential has its new name.',
    keySetSaved: 'The public keys are saved.',
    keySetReloaded: 'The address is read again for the next request.',
    ended: 'The credential has ended. Calls with it are refused.',
    revoked: 'All access tokens issued until now are refused.',
    accepted: 'The terms of use are accepted.',
    granted: 'The application may use the API now.',
    requested: 'Your request was sent. We tell you by e-mail what was decided.',
    invited: 'The invitation was sent. Its link works for 7 days.',
    cancelled: 'The invitation is cancelled. Its link no longer works.',
    removed: 'The colleague has been removed.',
    networks: 'The networks have been changed.',
  },

  apis: 'APIs',
  apisAbout: 'What this application may call.',
  noApi: 'This application may not call any API.',
  granted: 'Granted',
  waiting: 'Waits for approval',
  request: 'Request access',
  requestMore: 'Request more',
  toApi: (title: string) => `to ${title}`,
  requested: (time: Html) => html`Requested ${time}`,
  requestApi: (title: string) => `Request ${title}`,
  needsApproval: 'This API needs our approval. We tell you by e-mail what was decided.',
  needsApprovalNow:
    'We took this access away before, so it needs our approval now. We tell you by e-mail what was decided.',
  grantedAtOnce: 'Your application may use it at once.',
  scopes: 'Scopes',
  noScope: 'Choose at least one scope.',

  credentials: 'Credentials',
  credentialsAbout:
    'What this application identifies itself with. Only the first characters are shown: the rest is not stored.',
  noCredential: 'There are no credentials.',
  kinds: { key: 'Key', secret: 'Secret' },
  ofCredential: (kind: Kind, name: string, isReplaced: boolean) =>
    `the ${isReplaced ? 'replaced ' : ''}${kind} ${name}`,
  onlyFor: (apis: string) => `Only for ${apis}`,
  onlyFrom: (networks: string) => `Only from ${networks}`,
  doesNotExpire: 'Does not expire',
  replacedUntil: (_kind: Kind, date: Html) => html`Replaced: works until ${date}`,
  expires: (time: Html) => html`Expires ${time}`,
  name: 'Name',
  keySets: {
    kind: 'Public keys',
    add: 'Add public keys',
    addAbout:
      'An application proves a private key with them, in place of a secret, where an API takes that (private_key_jwt, RFC 7523). They work beside the secrets that there are.',
    uniqueName: 'No other secret or key set has this name.',
    keys: 'Public keys',
    keysHint:
      'A JWK Set of 1 to 10 keys, one public key in PEM, or the https address that serves the set: then you can change your keys without us. Never enter a private key.',
    keysRefused: 'Enter a JWK Set of public keys, one public key in PEM, or an address that begins with https://.',
    rename: 'Rename public keys',
    replace: 'Replace the public keys',
    replaceAbout:
      'From the next request on, only the new ones count. Keep the old ones among them until your services sign with the new ones.',
    reload: 'Read the address again',
    reloadAbout:
      'We read it for the next request, whatever it says about caching. Keys that are no longer there count no more.',
    end: 'End the public keys',
    endAbout: 'From the next request on, what is signed with them is refused. This cannot be undone.',
    isOnly: 'This application has no other public keys and no secret. Whatever signs with them stops working.',
  },
  uniqueName: { key: 'No other key has this name.', secret: 'No other secret has this name.' },
  add: { key: 'Add a key', secret: 'Add a secret' },
  addIt: { key: 'Add the key', secret: 'Add the secret' },
  addAbout: {
    key: 'The new key works beside those that there are.',
    secret: 'The new secret works beside those that there are, with each key.',
  },
  oneForEach: 'Give each of your services its own: then you can replace one without touching the others.',
  nameHint: 'What it is for, such as “warehouse” or “staging”.',
  expiry: 'It expires',
  lifetimes: { 0: 'never', 30: 'in 30 days', 90: 'in 90 days', 365: 'in a year' },
  inDays: (days: number) => (days === 1 ? 'in a day' : `in ${days} days`),
  onDate: (date: string) => `on ${date}`,
  atTheMost: (end: string) => `${end} (the most)`,
  hasPassed: (date: string) => `on ${date}, which has passed`,
  rename: 'Rename',
  renameIt: { key: 'Rename a key', secret: 'Rename a secret' },
  rotate: 'Rotate',
  rotateIt: { key: 'Rotate a key', secret: 'Rotate a secret' },
  makeNew: { key: 'Make a new key', secret: 'Make a new secret' },
  rotateAbout: {
    key: 'You get a new key at once. It is shown only on the next page, so be ready to store it.',
    secret: 'You get a new secret at once. It is shown only on the next page, so be ready to store it.',
  },
  formerEnds: (kind: Kind, date: Html) => html`The ${kind} before it, which works until ${date}, ends at once.`,
  inUse: { key: 'The key in use now', secret: 'The secret in use now' },
  overlaps: {
    0: 'ends at once',
    3600: 'works for another hour',
    86400: 'works for another day',
    604800: 'works for another 7 days',
  },
  end: 'End',
  endOne: { key: 'End a key', secret: 'End a secret' },
  endIt: { key: 'End the key', secret: 'End the secret' },
  endAbout: forBoth('From the next request on, it is refused. This cannot be undone.'),
  isOnly: {
    key: 'It is the only key of this application. Whatever uses it stops working.',
    secret: 'It is the only secret of this application. Whatever uses it stops working.',
  },
  alsoRevoke: 'Also refuse every access token that was issued until now',
  revoke: 'Revoke all access tokens',
  revokeThem: 'Revoke them',
  revokeAbout: (name: string) =>
    `Every access token that was issued to ${name} until now is refused from the next request on. Keys and secrets stay as they are.`,
  revokeGoesOn: 'Your services go on when they have requested a new access token.',

  issued: { key: 'Your new key', secret: 'Your new secret' },
  shownOnce: forBoth('It is shown only on this page. Store it in a safe place, such as a secret manager.'),
  sendAsClientId: 'Application id, to send as client_id',
  value: (kind: Kind, name: string) => `${kind === 'key' ? 'Key' : 'Secret'} “${name}”`,
  expiresOn: (_kind: Kind, date: Html) => html`It expires on ${date}.`,
  itDoesNotExpire: forBoth('It does not expire.'),
  fileExpiresOn: (date: string) => `Expires on ${date}`,
  stored: forBoth('I have stored it'),

  ownLimit: (limit: number, seconds: number) =>
    `At most ${limit.toLocaleString('en')} ${limit === 1 ? 'request' : 'requests'} in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}`,
  until: (date: Html) => html`until ${date}`,

  networks: 'Networks',
  networksAbout: 'From where this application may call. Calls from elsewhere are refused.',
  anyNetwork: 'From any network.',
  changeNetworks: 'Change the networks',
  saveNetworks: 'Save the networks',
  networksHint: (examples: string) => `A network or an address in each line, such as ${examples}.`,
  networksEmpty: 'Leave it empty for any network.',
  networksWithin: (networks: string) =>
    `We allow this application to call from: ${networks}. Your list can only have less.`,
  yourAddress: (address: Html) => html`Your own address is ${address}.`,
  networkRefused: (text: string) =>
    `“${text}” is no network. Write its first address and its bits, such as 203.0.113.0/24.`,
  networksRefused: 'The list has too many networks, or more than we allow.',
  shutsYouOut: (address: string) =>
    `The list does not have your own address, ${address}: calls from where you are would be refused.`,
  saveAnyway: 'Save it anyway',

  plan: 'Plan',
  planAbout: 'What your requests use, counted by the day and month in UTC. The newest seconds may be missing.',
  today: 'Today',
  thisMonth: 'This month',
  callsOfMonth: 'Calls in 30 days',
  refusedOfMonth: 'Refused in 30 days',
  quotaLeft: 'Quota left',
  noQuota: 'No quota',
  endsNext: 'Ends next',
  nothingEnds: 'Nothing',
  nameOfList: 'Application',
  lastUse: 'Last use',
  left: 'Left',
  quotaEnds: 'Until',
  quotaReached: 'The quota is used up: requests are refused until then.',
  softQuotaReached: 'The quota is used up. Further requests are still answered.',
  usage: 'Usage',
  usageAbout: (days: number) =>
    `Requests of the last ${days} days, counted by the day in UTC. Those of the newest minute may be missing, also where a refusal is listed already.`,
  nothingCounted: 'Nothing to count yet.',
  allowed: 'Allowed',
  refusedCount: 'Refused',
  tokensIssued: 'Access tokens issued',
  tokens: 'Access tokens',
  refusedWith: 'Refused:',
  day: 'Day',
  countsOfDay: (date: string, allowed: string, refused: string) => `${date}: ${allowed} allowed, ${refused} refused`,
  table: 'Table',
  ofApi: (title: string) => `of ${title}`,
  refusals: 'Refusals',
  refusalsAbout: 'The last refused requests of 7 days, and how to correct them.',
  noRefusal: 'No request was refused.',
  times: (count: number, time: Html) => html`${count} times, last ${time}`,
  from: (address: string) => `from ${address}`,
  requestId: (id: Html) => html`request ${id}`,

  colleagues: 'Colleagues',
  colleaguesAbout: 'Who may see and change this application. The first one gets its e-mails.',
  you: 'You',
  getsEmails: 'Gets the e-mails',
  isInvited: 'Invited',
  invitationEnds: (time: Html) => html`The invitation ends ${time}`,
  cancel: 'Cancel',
  invitationOf: (address: string) => `the invitation of ${address}`,
  addressOfColleague: 'E-mail address of a colleague',
  invite: 'Invite',
  inviteOne: 'Invite a colleague',
  inviteAbout:
    'Whoever follows the link in the e-mail may see and change this application as you may. The link works for 7 days.',
  remove: 'Remove',
  removeOne: 'Remove a colleague',
  leave: 'Leave',
  leaveIt: (name: string) => `Leave ${name}`,
  thisApplication: 'this application',
  removeAbout: (address: Html) =>
    html`${address} can no longer see or change this application, and is signed out where this is the only one.`,
  keepWorking: (isMe: boolean) =>
    `Credentials that ${isMe ? 'you know' : 'this person knows'} keep working. Rotate them if that must not be.`,
  cancelOne: 'Cancel an invitation',
  cancelIt: 'Cancel the invitation',
  cancelAbout: (address: Html) => html`The link that was sent to ${address} no longer works.`,

  terms: 'Terms of use',
  termsAsked: 'We ask you to accept our terms of use.',
  readTerms: (version: string) => `Read them: version ${version} (opens a new tab)`,
  acceptTerms: 'Accept the terms of use',
  termsChanged: 'The terms of use have changed again. Read and accept the new ones.',

  deletion: 'Delete',
  deletionMeans: 'All credentials and access tokens are refused from the next request on. This cannot be undone.',
  deleteIt: 'Delete this application',
  deleteName: (name: string) => `Delete ${name}`,
  deleteAbout:
    'Its credentials and access tokens are refused from the next request on, for everyone. Its name, its contacts and its credentials are erased. This cannot be undone.',
  confirmName: (name: Html) => html`To confirm, enter the name of the application: ${name}`,
  otherName: 'This is not the name of the application.',

  nameMissing: 'Enter a name.',
  nameRefused: (most: number, detail: string | undefined) =>
    `A name is 1 to ${most} characters that can be seen.${detail === undefined ? '' : ` This one ${detail}.`}`,
  nameIsLink: 'A name has nothing like a web address or an e-mail address, and no 7 digits in a row.',
  nameTaken: 'This name is in use. Choose another one.',
  chooseValue: 'Choose one of the values in the list.',
  operatorEnded: {
    key: 'The operator has ended the keys of this application. Ask the operator for a new one.',
    secret: 'The operator has ended the secrets of this application. Ask the operator for a new one.',
  },
  isContact: 'This address is a contact already.',
  invitedBefore: (wait: string) =>
    `This address was invited less than an hour ago. Ask your colleague to look for that e-mail, or try again ${wait}.`,
  tooManyCredentials: 'You have reached the limit of 20. End one first.',
  tooManyContacts: 'There are 10 colleagues and invitations, which is as many as possible.',
  busy: 'Other changes are being made at the same time. Try again.',
  wrongState: 'The state of the application does not allow this.',
  impossible: 'This is not possible. Check what you entered.',
}

function forBoth(text: string): Record<Kind, string> {
  return { key: text, secret: text }
}

/** The same words in each language. */
export type PortalTexts = typeof en
