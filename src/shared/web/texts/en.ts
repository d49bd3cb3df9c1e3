/** The words of the frame that all pages share, and of what follows new credentials, in English. `{name}` is replaced. */
export const en = {
  menu: 'Menu',
  parts: 'Parts of this page',
  developers: 'Developers',
  referenceTab: 'Reference',
  readReference: 'Read the reference',
  guides: 'Guides',
  changelogTab: 'Changelog',
  myApplications: 'My applications',
  register: 'Register an application',
  help: 'Help',
  switchTheme: 'Switch between light and dark',
  /** The title of a page that reports a problem: it is announced first. */
  error: 'Error: {heading}',
  copy: 'Copy',
  copied: 'Copied',
  notCopied: 'Not copied',
  tryIt: 'Try it',
  getToken: 'Get an access token for {api}',
  call: 'Call {api}',
  callPath: 'Call {api}, with a path in place of RESOURCE_PATH',
  reference: '{api}: reference, and samples in seven languages',
  downloadEnv: 'Download as .env',
  todaySoFar: 'Today so far',
  ofCalls: '{share} of calls',
  justNow: 'just now',
  soon: 'in less than a minute',
  noRefusal: 'No refusals in the last 7 days',
  times: '{count} times, last {time}',
  from: 'from {address}',
  requestId: 'request {id}',
  keySetRefused:
    'Enter a JWK Set of 1 to 10 public keys, one public key in PEM, or an address that begins with https://.',
}

export type FrameTexts = typeof en
