/** The words of the frame that all pages share, and of what follows new credentials, in English. */
export const en = {
  menu: 'Menu',
  developers: 'Developers',
  referenceTab: 'Reference',
  guides: 'Guides',
  changelogTab: 'Changelog',
  myApplications: 'My applications',
  register: 'Register an application',
  help: 'Help',
  switchTheme: 'Switch between light and dark',
  /** The title of a page that reports a problem: it is announced first. */
  error: (heading: string) => `Error: ${heading}`,
  copy: 'Copy',
  copied: 'Copied',
  notCopied: 'Not copied',
  tryIt: 'Try it',
  getToken: (api: string) => `Get an access token for ${api}`,
  call: (api: string) => `Call ${api}`,
  reference: (api: string) => `${api}: reference, and samples in seven languages`,
  downloadEnv: 'Download as .env',
  keySetRefused:
    'Enter a JWK Set of 1 to 10 public keys, one public key in PEM, or an address that begins with https://.',
}

export type FrameTexts = typeof en
