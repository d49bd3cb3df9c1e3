/** The words of the frame that all pages share, and of buttons that copy, in English. */
export const en = {
  allApis: 'All APIs',
  myApplications: 'My applications',
  help: 'Help',
  switchTheme: 'Switch between light and dark',
  /** The title of a page that reports a problem: it is announced first. */
  error: (heading: string) => `Error: ${heading}`,
  copy: 'Copy',
  copied: 'Copied',
  notCopied: 'Not copied',
}

/** The same words in each language. */
export type FrameTexts = typeof en
