/**
 * The words of e-mails, and of the page of claim links, in English. Names in braces stand for values: `{name}` is the application's name,
 * which a stranger has chosen, so it is in quotation marks; `{platform}` the provider and its host, `{operator}` the provider alone, for a
 * further mention. A subject never has the name.
 */
export const en = {
  colon: ':',
  /** The forms of the nouns that this language's own texts use, by the names that they have there. */
  forms: {
    key: { kind: 'key', noun: 'the key', newOne: 'a new one' },
    secret: { kind: 'secret', noun: 'the secret', newOne: 'a new one' },
    keySet: { noun: 'the public keys', newOne: 'new ones' },
    /** Public keys that expire. */
    set: { kind: 'key set' },
  } as { readonly [kind in 'key' | 'secret' | 'keySet' | 'set']: Readonly<Record<string, string>> },

  note: 'The operator writes: {note}',
  credentials: {
    show: 'Show my credentials',
    shownOnce: 'The link shows your credentials once. It works for 72 hours.',
    keepSafe:
      'Keep the credentials where only your application can read them. They are not stored here and cannot be shown again.',
    notRequested: 'If you did not request this, you can ignore this e-mail.',
  },
  registration: {
    subject: 'Your credentials for {platform}',
    heading: 'Your credentials',
    text: 'Your application “{name}” is registered at {platform}.',
    replacesEarlier: 'This e-mail replaces all earlier e-mails with credentials for this application.',
    noSecret:
      'There is no secret: your application gets access tokens by proving its private key, with an assertion that it signs for each request.',
  },
  replaced: {
    subject: 'Your new {kind} for {platform}',
    heading: 'Your new {kind}',
    text: 'There is a new {kind} for your application “{name}” at {platform}.',
    named: 'Its name is “{credential}”.',
    replacesEarlier: 'This e-mail replaces all earlier e-mails with a new {kind} for this application.',
    previous: {
      ended: 'The previous {kind} no longer works.',
      endsWhenShown: 'The previous {kind} stops working when the new one is shown.',
      works: 'The previous {kind} still works for {duration}.',
      worksWhenShown: 'The previous {kind} still works for {duration} after the new one is shown.',
    },
  },
  expiring: {
    subject: 'Your {kind} for {platform} expires on {date}',
    heading: 'Your {kind} expires {days}',
    text: 'The {kind} “{credential}” of your application “{name}” at {platform} expires {days}. From then on it is refused.',
    makeNew: 'Make a new {kind}, and use it instead of this one before that time.',
    askForNew: 'Ask the operator of {operator} for a new {kind}, and use it instead of this one before that time.',
    useNew:
      'There is a new {kind} already, which has not been used yet. It begins with {prefix}. Use it instead of the old one before that time.',
    useNewSet:
      'There is a new key set already, which has not been used yet. Use it instead of the old one before that time.',
    unused: 'If nobody uses this {kind} any more, you can ignore this e-mail.',
    days: { none: 'in less than a day', one: 'in a day', other: 'in {count} days' },
  },
  invitation: {
    subject: 'An invitation to an application at {platform}',
    heading: 'You are invited',
    byContact: 'A contact of the application “{name}” at {platform} invites you to look after it too.',
    byOperator: 'The operator of {platform} invites you to look after the application “{name}” there too.',
    text: 'If you accept, you can sign in there, see how the application uses the APIs, and manage its credentials. The link works once, for 7 days.',
    accept: 'Accept the invitation',
    unknown: 'If you do not know the application, ignore this e-mail: nothing happens then.',
  },
  signIn: {
    subject: 'Sign in at {platform}',
    heading: 'Sign in',
    text: 'Somebody asked to sign in at {platform} with your e-mail address. Follow the link, or enter the code on the page where you asked for it.',
    lifetime: 'Both work once, for {minutes} minutes.',
    signIn: 'Sign in',
    notRequested: 'If it was not you, ignore this e-mail, and give the code to nobody: whoever has it can sign in.',
  },
  decision: {
    registration: {
      subject: 'A registration at {platform} awaits your decision',
      heading: 'An application asks to be registered',
      text: 'Somebody has registered the application “{name}” at {platform}. It gets its credentials when you approve it.',
    },
    access: {
      subject: 'A request for an API at {platform} awaits your decision',
      heading: 'An application asks for an API',
      text: 'The application “{name}” asks for more access to the APIs at {platform}.',
    },
    links: 'Both links open a page that asks you to confirm. They work for 14 days, until somebody has decided.',
    approve: 'Approve',
    deny: 'Deny',
    forYou: 'The links are for you alone: whoever has this e-mail can decide in your name.',
  },
  approved: {
    subject: 'Your request at {platform} is approved',
    heading: 'Your request is approved',
    text: 'Your application “{name}” at {platform} may use {apis} now.',
    credentials: 'Use the credentials you already have.',
    tokens: 'An access token that it got before does not include this; request a new one.',
  },
  denied: {
    registration: {
      subject: 'Your registration at {platform} is not approved',
      heading: 'Your registration is not approved',
      text: 'The operator of {platform} has not approved the registration of your application “{name}”. What you entered has been deleted.',
    },
    access: {
      subject: 'Your request at {platform} is not approved',
      heading: 'Your request is not approved',
      text: 'The operator of {platform} has not approved the request of your application “{name}” to use {api}. What it may use already has not changed.',
    },
    reason: 'The reason: {reason}',
  },
  suspended: {
    subject: 'Your application at {platform} is suspended',
    heading: 'Your application is suspended',
    text: 'The operator of {platform} has suspended your application “{name}”. Its credentials and access tokens are refused until it is resumed; then they work again.',
  },
  quota: {
    reached: { subject: 'Your quota at {platform} is used up', heading: 'Your quota is used up' },
    near: {
      subject: '{percent} % of your quota at {platform} are used',
      heading: '{percent} % of your quota are used',
    },
    text: 'At {platform} your application “{name}” has used {percent} % of the {limit} requests that it has for this {per} (UTC).',
    per: { day: 'day', month: 'month' },
    soft: 'Further requests are answered nevertheless.',
    refused: 'Further requests are refused until {date}.',
    refusedSoon: 'After the last of them, further requests are refused until {date}.',
  },
  keySetOutage: {
    refused: {
      subject: 'Your public keys at {platform} are refused',
      heading: 'Your public keys are refused',
      text: 'The keys that were read last are refused now: the application gets no access tokens until the address can be read again.',
    },
    goesOn: {
      subject: '{platform} cannot read your public keys',
      heading: 'Your public keys cannot be read',
      text: 'The keys that were read last are accepted until {refusedFrom}. From then on the application gets no access tokens until the address can be read again.',
    },
    text: 'The address of the public keys “{credential}” of your application “{name}” at {platform} has not been readable since {since}.',
    toDo: 'The address must answer within 3 seconds, from the public internet, without a redirect, with JSON. When it does, have it read again, or enter other keys.',
  },
  changes: {
    contact: {
      subject: 'Changes to your application at {platform}',
      heading: 'Your application was changed',
      text: 'The application “{name}” at {platform} was changed as follows.',
    },
    removed: {
      subject: 'You are no longer a contact of an application at {platform}',
      heading: 'You are no longer a contact',
      text: 'You were removed as a contact of the application “{name}” at {platform}, and can no longer see or change it there.',
    },
    deleted: {
      subject: 'Your application at {platform} was deleted',
      heading: 'Your application was deleted',
      text: 'A contact has deleted the application “{name}” at {platform}. Its credentials no longer work.',
    },
    again: 'You were removed, and have been added again since: you are a contact now.',
    more: 'There were {all} changes, of which {listed} are listed here.',
    unexpected: 'If you do not expect this, tell the operator of {operator}.',
    byOperator: 'The operator',
    byContact: 'A contact',
  },
  /** One line about a change: `{who}` has made it. */
  change: {
    left: 'A contact left',
    joined: 'A person who was invited became a contact',
    removedYou: '{who} removed you',
    contactRemoved: '{who} removed a contact',
    contactAdded: '{who} added a contact',
    contactInvited: '{who} invited a person',
    credentialAdded: '{who} added {noun} “{credential}”',
    credentialRotated: '{who} replaced {noun} “{credential}” by {newOne}',
    credentialUpdated: '{who} changed the end of {noun} “{credential}”',
    credentialRenamed: '{who} renamed {noun} “{former}” to “{credential}”',
    credentialEnded: '{who} ended {noun} “{credential}”',
    keySetChanged: '{who} replaced {noun} “{credential}”, or had them read again',
    tokensRevoked: '{who} revoked all access tokens',
    networksChanged: '{who} changed the networks from which the application may call',
    deleted: '{who} deleted the application',
  },

  labels: {
    key: 'Key ({uses})',
    secret: 'Secret (client_secret)',
    /** The label of an id that may be the `client_id`. */
    publicId: 'You can use it as client_id; it is not secret',
    applicationId: 'Application id',
    contact: 'Contact',
    requested: 'Asks for',
    address: 'From the address',
    expiresAt: 'Expires at',
    keyExpiresAt: 'The key expires at',
    secretExpiresAt: 'The secret expires at',
    firstCharacters: 'First characters of the {kind}',
    publicKeys: 'Public keys',
    withLibrary: 'The same with openid-client, which makes the assertion ($CLIENT_ASSERTION)',
    code: 'Code',
    tokenAddress: 'Get access tokens at',
    getToken: 'Get an access token',
    useToken: 'Call the API with it (append the path of a resource)',
    keyHeader: 'Send your key in the header',
    keyScopes: 'Scopes of your key',
    useKey: 'Call the API (append the path of a resource)',
    /** The label of a link to the same call in other languages. */
    languages: 'The same in JavaScript, Python, Go, PHP, Java and C#',
    documentation: 'Read the documentation',
    manage: 'Manage the application',
    support: 'Help',
  },

  claim: {
    heading: 'Credentials of your application',
    beforehand: 'They are shown only once. Be ready to store them in a safe place, such as a secret manager.',
    show: 'Show my credentials',
    incomplete: 'The link is not complete. Copy the whole address from the e-mail.',
    refusedHeading: 'This link no longer works',
    refused: 'The link has been used, has expired, or was replaced by a newer e-mail.',
    refusedMeans:
      'It works once, for 72 hours, and only the newest one counts. If you have stored the credentials, they go on working. If not, sign in and make new ones, or ask us for a new link.',
    signIn: 'Sign in to My applications',
    askForHelp: 'Ask for help',
    limited: 'There were too many attempts. Try again in a few minutes.',
    failed: 'The credentials could not be fetched. Try again.',
    needsScripts: 'This page needs JavaScript, which sends the secret part of the link when you click.',
    done: 'Here are the credentials of “{name}”.',
    store: 'They are shown only on this page: store them in a safe place, such as a secret manager.',
    stored: 'Done, I have stored them',
    key: 'Key',
    secret: 'Secret',
    expires: 'It expires at',
    expiresNever: 'They do not expire.',
    applicationId: 'Application id, to send as client_id',
    keyExpires: 'The key expires at {time}',
    secretExpires: 'The secret expires at {time}',
  },
}
