import type { Refusals } from '../../../../shared/web/describe-refusal.js'

/** The words of the sign-in, and of all pages that are not of one application, in English. */
export const en = {
  signOut: 'Sign out',
  address: 'E-mail address',
  addressMissing: 'Enter an e-mail address.',
  addressRefused: 'Enter one e-mail address, such as dev@example.com.{detail}',

  signIn: 'Sign in',
  askForLink: 'Enter the e-mail address that you registered or were invited with. We send you a link and a code.',
  sendEmail: 'Send sign-in link',
  checkEmail: 'Check your e-mail',
  sent: 'If {contact} is a contact of an application, we send a link and a code to it now. Both are valid for 15 minutes. Open the link, or enter the code here.',
  code: 'Code from the e-mail',
  codeHint: '8 letters, such as BCDF-GHJK',
  noEmail: 'No e-mail? Check your spam folder, or {link}. An address gets at most 5 e-mails an hour.',
  otherAddress: 'try another address',
  noApplication: 'No application yet? {link}',
  linkIsValidOnce: 'Click to finish signing in. The link works once.',
  linkIncomplete: 'The link is not complete. Copy the whole address from the e-mail.',
  linkNeedsScripts:
    'This link needs JavaScript. Without it, enter the code from the e-mail on the page where you asked for it.',
  newLink: 'Ask for a new link',
  codeRefused:
    'The code is not right, has been used, or has expired. Check it, or open the link in the e-mail. After 5 attempts you need a new code.',
  linkRefused: 'The link has been used, or has expired. Ask for a new one.',
  signedOut: 'You have been signed out, or the page was loaded too long ago. Sign in.',

  invitation: 'You are invited to manage an application',
  invitationMeans:
    'The e-mail says which application it is. Accepting lets you see and manage it. Its other contacts will see your e-mail address.',
  accept: 'Accept the invitation',
  pastedLink: 'Link from the e-mail',
  pastedHint: 'This browser runs no scripts. Copy the whole link, and paste it here.',
  invitationRefused:
    'The link is not complete, or the invitation has been accepted already, was cancelled, or has expired. Copy the whole link from the e-mail, or ask a contact of the application for a new one.',
  cannotAccept: 'This invitation cannot be used',
  accepted: 'You are a contact now',
  acceptedBy: '{contact} is a contact of the application {application} now. Sign in with this address to manage it.',

  notFound: 'Not found',
  noPage: 'We could not find this page in your applications.',
  outOfDate: 'This page is out of date',
  loadAgain: 'Load the page again, and repeat what you did.',
  failed: 'This did not work',
  refused: undefined as Refusals | undefined,
}
