import { LABELS } from './english-labels.js'
import type { MentionedCredential, Phrases } from './phrases.js'

/** The built-in words in English. */
export const en: Phrases = {
  duration: (count, unit) => `${count} ${unit}${count === 1 ? '' : 's'}`,
  // Dates have this order everywhere: in dates of digits readers from America and Europe exchange day and month.
  date: (date) => date.toISOString().slice(0, 10),

  registration: ({ name, platform, byLink, replacesEarlier, provesKey }) => ({
    subject: `Your credentials for ${platform}`,
    heading: 'Your credentials',
    paragraphs: [
      `Your application “${name}” is registered at ${platform}.`,
      replacesEarlier && 'This e-mail replaces all earlier e-mails with credentials for this application.',
      provesKey && NO_SECRET,
      byLink && SHOWN_ONCE,
    ],
    actions: byLink ? ['Show my credentials'] : [],
    notes: [!byLink && KEEP_SAFE, NOT_REQUESTED],
  }),

  replaced: (kind, { name, platform, credential, byLink, previous, replacesEarlier }) => ({
    subject: `Your new ${kind} for ${platform}`,
    heading: `Your new ${kind}`,
    paragraphs: [
      `There is a new ${kind} for your application “${name}” at ${platform}.`,
      credential !== undefined && `Its name is “${credential}”.`,
      replacesEarlier && `This e-mail replaces all earlier e-mails with a new ${kind} for this application.`,
      previous !== undefined && describePrevious(`The previous ${kind}`, previous, byLink),
      byLink && SHOWN_ONCE,
    ],
    actions: byLink ? ['Show my credentials'] : [],
    notes: [!byLink && KEEP_SAFE, NOT_REQUESTED],
  }),

  expiring: ({ name, platform, operator, kind, credential, date, daysLeft, replacement, selfService }) => ({
    subject: `Your ${kind} for ${platform} expires on ${date}`,
    heading: `Your ${kind} expires ${formatDays(daysLeft)}`,
    paragraphs: [
      `The ${kind} “${credential}” of your application “${name}” at ${platform} expires ${formatDays(daysLeft)}. From then on it is refused.`,
      replacement === undefined
        ? `${selfService ? 'Make' : `Ask the operator of ${operator} for`} a new ${kind}, and use it instead of this one before that time.`
        : `There is a new ${kind} already, which has not been used yet. It begins with ${replacement}. Use it instead of the old one before that time.`,
    ],
    notes: [`If nobody uses this ${kind} any more, you can ignore this e-mail.`],
  }),

  invitation: ({ name, platform, byContact }) => ({
    subject: `An invitation to an application at ${platform}`,
    heading: 'You are invited',
    paragraphs: [
      byContact
        ? `A contact of the application “${name}” at ${platform} invites you to look after it too.`
        : `The operator of ${platform} invites you to look after the application “${name}” there too.`,
      'If you accept, you can sign in there, see how the application uses the APIs, and manage its credentials. The link works once, for 7 days.',
    ],
    actions: ['Accept the invitation'],
    notes: ['If you do not know the application, ignore this e-mail: nothing happens then.'],
  }),

  signIn: ({ platform, minutes }) => ({
    subject: `Sign in at ${platform}`,
    heading: 'Sign in',
    paragraphs: [
      `Somebody asked to sign in at ${platform} with your e-mail address. Follow the link, or enter the code on the page where you asked for it.`,
      `Both work once, for ${minutes} minutes.`,
    ],
    actions: ['Sign in'],
    notes: ['If it was not you, ignore this e-mail, and give the code to nobody: whoever has it can sign in.'],
  }),

  approvalRequest: ({ name, platform, access }) => ({
    subject: access
      ? `A request for an API at ${platform} awaits your decision`
      : `A registration at ${platform} awaits your decision`,
    heading: access ? 'An application asks for an API' : 'An application asks to be registered',
    paragraphs: [
      access
        ? `The application “${name}” asks for more access to the APIs at ${platform}.`
        : `Somebody has registered the application “${name}” at ${platform}. It gets its credentials when you approve it.`,
      'Both links open a page that asks you to confirm. They work for 14 days, until somebody has decided.',
    ],
    actions: ['Approve', 'Deny'],
    notes: ['The links are for you alone: whoever has this e-mail can decide in your name.'],
  }),

  approved: ({ name, platform, apis, tokens }) => ({
    subject: `Your request at ${platform} is approved`,
    heading: 'Your request is approved',
    paragraphs: [
      `Your application “${name}” at ${platform} may use ${apis} now.`,
      'Use the credentials you already have.',
      tokens && 'An access token that it got before does not include this; request a new one.',
    ],
  }),

  denied: ({ name, platform, api, reason }) => ({
    subject:
      api === undefined
        ? `Your registration at ${platform} is not approved`
        : `Your request at ${platform} is not approved`,
    heading: api === undefined ? 'Your registration is not approved' : 'Your request is not approved',
    paragraphs: [
      api === undefined
        ? `The operator of ${platform} has not approved the registration of your application “${name}”. What you entered has been deleted.`
        : `The operator of ${platform} has not approved the request of your application “${name}” to use ${api}. What it may use already has not changed.`,
      reason !== undefined && `The reason: ${reason}`,
    ],
  }),

  suspended: ({ name, platform, reason }) => ({
    subject: `Your application at ${platform} is suspended`,
    heading: 'Your application is suspended',
    paragraphs: [
      `The operator of ${platform} has suspended your application “${name}”. Its credentials and access tokens are refused until it is resumed; then they work again.`,
      reason !== undefined && `The reason: ${reason}`,
    ],
  }),

  quota: ({ name, platform, percent, limit, per, soft, date }) => ({
    subject:
      percent === 100 ? `Your quota at ${platform} is used up` : `${percent} % of your quota at ${platform} are used`,
    heading: percent === 100 ? 'Your quota is used up' : `${percent} % of your quota are used`,
    paragraphs: [
      `At ${platform} your application “${name}” has used ${percent} % of the ${limit} requests that it has for this ${per} (UTC).`,
      soft
        ? 'Further requests are answered nevertheless.'
        : `${percent === 100 ? 'Further' : 'After the last of them, further'} requests are refused until ${date}.`,
    ],
  }),

  changes: ({ name, platform, operator, recipientIs, isAgain, listed, more }) => ({
    ...{
      contact: {
        subject: `Changes to your application at ${platform}`,
        heading: 'Your application was changed',
      },
      removed: {
        subject: `You are no longer a contact of an application at ${platform}`,
        heading: 'You are no longer a contact',
      },
      deleted: {
        subject: `Your application at ${platform} was deleted`,
        heading: 'Your application was deleted',
      },
    }[recipientIs],
    paragraphs: [
      {
        contact: `The application “${name}” at ${platform} was changed as follows.`,
        removed: `You were removed as a contact of the application “${name}” at ${platform}, and can no longer see or change it there.`,
        deleted: `A contact has deleted the application “${name}” at ${platform}. Its credentials no longer work.`,
      }[recipientIs],
      isAgain && 'You were removed, and have been added again since: you are a contact now.',
      more > 0 && `There were ${listed + more} changes, of which ${listed} are listed here.`,
    ],
    notes: [`If you do not expect this, tell the operator of ${operator}.`],
  }),
  describeChange: ({ type, by, address, credential, isRecipient }) => {
    const who = by === undefined ? 'The operator' : 'A contact'
    const { kind = 'key', name = '', formerName } = credential ?? {}
    const noun = { key: 'the key', secret: 'the secret', keySet: 'the public keys' }[kind]
    const what = `${noun} “${name}”`
    return {
      contactRemoved: by === address ? 'A contact left' : `${who} removed ${isRecipient ? 'you' : 'a contact'}`,
      contactAdded: by === address ? 'A person who was invited became a contact' : `${who} added a contact`,
      contactInvited: `${who} invited a person`,
      credentialAdded: `${who} added ${what}`,
      credentialRotated: `${who} replaced ${what} by a new one`,
      credentialUpdated:
        formerName === undefined
          ? `${who} changed the end of ${what}`
          : `${who} renamed ${noun} “${formerName}” to “${name}”`,
      credentialEnded: `${who} ended ${what}`,
      keySetChanged: `${who} replaced ${what}, or had them read again`,
      tokensRevoked: `${who} revoked all access tokens`,
      networksChanged: `${who} changed the networks from which the application may call`,
      deleted: `${who} deleted the application`,
    }[type]
  },

  labels: LABELS,
}

const NO_SECRET =
  'There is no secret: your application gets access tokens by proving its private key, with an assertion that it signs for each request.'
const SHOWN_ONCE = 'The link shows your credentials once. It works for 72 hours.'
const KEEP_SAFE =
  'Keep the credentials where only your application can read them. They are not stored here and cannot be shown again.'
const NOT_REQUESTED = 'If you did not request this, you can ignore this e-mail.'

function describePrevious(
  subject: string,
  { worksFor }: NonNullable<MentionedCredential['previous']>,
  byLink: boolean,
): string {
  if (worksFor === undefined)
    return `${subject} ${byLink ? 'stops working when the new one is shown' : 'no longer works'}.`
  return `${subject} still works for ${worksFor}${byLink ? ' after the new one is shown' : ''}.`
}

function formatDays(days: number): string {
  if (days === 0) return 'in less than a day'
  return days === 1 ? 'in a day' : `in ${days} days`
}
