import type { MentionedCredential, Phrases } from './phrases.js'

const UNITS = {
  day: ['Tag', 'Tage'],
  hour: ['Stunde', 'Stunden'],
  minute: ['Minute', 'Minuten'],
  second: ['Sekunde', 'Sekunden'],
} as const
const NOUNS = { key: 'Schlüssel', secret: 'Secret' } as const
const YOUR_NEW = { key: 'Ihr neuer Schlüssel', secret: 'Ihr neues Secret' } as const
const A_NEW = { key: 'einen neuen Schlüssel', secret: 'ein neues Secret' } as const
const PREVIOUS = { key: 'Der bisherige Schlüssel', secret: 'Das bisherige Secret' } as const
const THE = { key: 'Der Schlüssel', secret: 'Das Secret' } as const
const THE_OBJECT = { key: 'den Schlüssel', secret: 'das Secret' } as const
const AN_UNUSED = {
  key: 'einen neuen, noch unbenutzten Schlüssel',
  secret: 'ein neues, noch unbenutztes Secret',
} as const
const YOUR = { key: 'Ihr Schlüssel', secret: 'Ihr Secret' } as const

/** The built-in words in German. */
export const de: Phrases = {
  duration: (count, unit) => `${count} ${UNITS[unit][count === 1 ? 0 : 1]}`,
  date: (date) => new Intl.DateTimeFormat('de', { dateStyle: 'long', timeZone: 'UTC' }).format(date),

  registration: ({ name, platform, byLink, replacesEarlier, provesKey }) => ({
    subject: `Ihre Zugangsdaten für ${platform}`,
    heading: 'Ihre Zugangsdaten',
    paragraphs: [
      `Ihre Anwendung „${name}“ ist bei ${platform} registriert.`,
      replacesEarlier && 'Diese E-Mail ersetzt alle früheren E-Mails mit Zugangsdaten für diese Anwendung.',
      provesKey && NO_SECRET,
      byLink && SHOWN_ONCE,
    ],
    actions: byLink ? ['Zugangsdaten anzeigen'] : [],
    notes: [!byLink && KEEP_SAFE, NOT_REQUESTED],
  }),

  replaced: (kind, { name, platform, credential, byLink, previous, replacesEarlier }) => ({
    subject: `${YOUR_NEW[kind]} für ${platform}`,
    heading: YOUR_NEW[kind],
    paragraphs: [
      `Für Ihre Anwendung „${name}“ bei ${platform} gibt es ${A_NEW[kind]}.`,
      credential !== undefined && `Der Name lautet „${credential}“.`,
      replacesEarlier &&
        `Diese E-Mail ersetzt alle früheren E-Mails, die ${A_NEW[kind]} für diese Anwendung enthielten.`,
      previous !== undefined && describePrevious(PREVIOUS[kind], previous, byLink),
      byLink && SHOWN_ONCE,
    ],
    actions: byLink ? ['Zugangsdaten anzeigen'] : [],
    notes: [!byLink && KEEP_SAFE, NOT_REQUESTED],
  }),

  expiring: ({ name, platform, operator, kind, credential, date, daysLeft, replacement, selfService }) => ({
    subject: `${YOUR[kind]} für ${platform} läuft am ${date} ab`,
    heading: `${YOUR[kind]} läuft ${formatDays(daysLeft)} ab`,
    paragraphs: [
      `${THE[kind]} „${credential}“ Ihrer Anwendung „${name}“ bei ${platform} läuft ${formatDays(daysLeft)} ab und wird danach nicht mehr angenommen.`,
      replacement === undefined
        ? `${selfService ? `Erstellen Sie ${A_NEW[kind]}` : `Bitten Sie den Betreiber von ${operator} um ${A_NEW[kind]}`} und stellen Sie Ihre Anwendung vorher darauf um.`
        : `Es gibt bereits ${AN_UNUSED[kind]}. Die ersten Zeichen lauten ${replacement}. Stellen Sie Ihre Anwendung vorher darauf um.`,
    ],
    notes: [`Wenn niemand ${THE_OBJECT[kind]} mehr verwendet, können Sie diese E-Mail ignorieren.`],
  }),

  invitation: ({ name, platform, byContact }) => ({
    subject: `Einladung zu einer Anwendung bei ${platform}`,
    heading: 'Sie sind eingeladen',
    paragraphs: [
      byContact
        ? `Ein Kontakt der Anwendung „${name}“ bei ${platform} lädt Sie ein, sie mitzubetreuen.`
        : `Der Betreiber von ${platform} lädt Sie ein, dort die Anwendung „${name}“ mitzubetreuen.`,
      'Wenn Sie annehmen, können Sie sich dort anmelden, die API-Nutzung der Anwendung einsehen und ihre Zugangsdaten verwalten. Der Link gilt 7 Tage und funktioniert nur einmal.',
    ],
    actions: ['Einladung annehmen'],
    notes: ['Wenn Sie die Anwendung nicht kennen, ignorieren Sie diese E-Mail: Es passiert dann nichts.'],
  }),

  signIn: ({ platform, minutes }) => ({
    subject: `Anmeldung bei ${platform}`,
    heading: 'Anmelden',
    paragraphs: [
      `Jemand möchte sich mit Ihrer E-Mail-Adresse bei ${platform} anmelden. Öffnen Sie den Link oder geben Sie den Code auf der Seite ein, auf der Sie ihn angefordert haben.`,
      `Link und Code gelten ${minutes} Minuten und funktionieren nur einmal.`,
    ],
    actions: ['Anmelden'],
    notes: [
      'Wenn Sie das nicht waren, ignorieren Sie diese E-Mail. Geben Sie den Code niemandem weiter: Wer ihn kennt, kann sich anmelden.',
    ],
  }),

  approvalRequest: ({ name, platform, access }) => ({
    subject: access
      ? `Eine API-Anfrage bei ${platform} wartet auf Ihre Entscheidung`
      : `Eine Registrierung bei ${platform} wartet auf Ihre Entscheidung`,
    heading: access ? 'Eine Anwendung bittet um eine API' : 'Eine Anwendung möchte registriert werden',
    paragraphs: [
      access
        ? `Die Anwendung „${name}“ bittet um weiteren Zugriff auf die APIs bei ${platform}.`
        : `Jemand hat die Anwendung „${name}“ bei ${platform} registriert. Sie erhält ihre Zugangsdaten, sobald Sie zustimmen.`,
      'Beide Links öffnen eine Seite, auf der Sie die Entscheidung bestätigen. Sie gelten 14 Tage, bis jemand entschieden hat.',
    ],
    actions: ['Genehmigen', 'Ablehnen'],
    notes: ['Die Links sind nur für Sie bestimmt: Wer diese E-Mail hat, kann in Ihrem Namen entscheiden.'],
  }),

  approved: ({ name, platform, apis, tokens }) => ({
    subject: `Ihre Anfrage bei ${platform} ist genehmigt`,
    heading: 'Ihre Anfrage ist genehmigt',
    paragraphs: [
      `Ihre Anwendung „${name}“ bei ${platform} darf ab sofort ${apis} verwenden.`,
      'Sie verwendet dafür ihre vorhandenen Zugangsdaten.',
      tokens && 'Früher ausgestellte Access-Tokens gelten dafür noch nicht; fordern Sie ein neues an.',
    ],
  }),

  denied: ({ name, platform, api, reason }) => ({
    subject:
      api === undefined
        ? `Ihre Registrierung bei ${platform} wurde abgelehnt`
        : `Ihre Anfrage bei ${platform} wurde abgelehnt`,
    heading: api === undefined ? 'Ihre Registrierung wurde abgelehnt' : 'Ihre Anfrage wurde abgelehnt',
    paragraphs: [
      api === undefined
        ? `Der Betreiber von ${platform} hat die Registrierung Ihrer Anwendung „${name}“ abgelehnt. Ihre Angaben wurden gelöscht.`
        : `Der Betreiber von ${platform} hat die Anfrage Ihrer Anwendung „${name}“ für ${api} abgelehnt. Was sie bisher verwenden darf, bleibt unverändert.`,
      reason !== undefined && `Begründung: ${reason}`,
    ],
  }),

  suspended: ({ name, platform, reason }) => ({
    subject: `Ihre Anwendung bei ${platform} ist gesperrt`,
    heading: 'Ihre Anwendung ist gesperrt',
    paragraphs: [
      `Der Betreiber von ${platform} hat Ihre Anwendung „${name}“ gesperrt. Bis sie wieder freigegeben ist, werden ihre Zugangsdaten und Access-Tokens nicht angenommen; danach gelten sie wieder.`,
      reason !== undefined && `Begründung: ${reason}`,
    ],
  }),

  quota: ({ name, platform, percent, limit, per, soft, date }) => ({
    subject:
      percent === 100
        ? `Ihr Kontingent bei ${platform} ist verbraucht`
        : `${percent} % Ihres Kontingents bei ${platform} sind verbraucht`,
    heading: percent === 100 ? 'Ihr Kontingent ist verbraucht' : `${percent} % Ihres Kontingents sind verbraucht`,
    paragraphs: [
      `Bei ${platform} hat Ihre Anwendung „${name}“ ${percent} % der ${limit} Anfragen verbraucht, die sie ${per === 'day' ? 'am Tag' : 'im Monat'} (UTC) hat.`,
      soft
        ? 'Weitere Anfragen werden trotzdem beantwortet.'
        : `${percent === 100 ? 'Weitere Anfragen werden' : 'Nach der letzten werden weitere Anfragen'} bis zum ${date} nicht angenommen.`,
    ],
  }),

  changes: ({ name, platform, operator, recipientIs, isAgain, listed, more }) => ({
    ...{
      contact: {
        subject: `Änderungen an Ihrer Anwendung bei ${platform}`,
        heading: 'Ihre Anwendung wurde geändert',
      },
      removed: {
        subject: `Sie sind kein Kontakt einer Anwendung bei ${platform} mehr`,
        heading: 'Sie sind kein Kontakt mehr',
      },
      deleted: {
        subject: `Ihre Anwendung bei ${platform} wurde gelöscht`,
        heading: 'Ihre Anwendung wurde gelöscht',
      },
    }[recipientIs],
    paragraphs: [
      {
        contact: `Die Anwendung „${name}“ bei ${platform} wurde wie folgt geändert.`,
        removed: `Sie wurden als Kontakt der Anwendung „${name}“ bei ${platform} entfernt und können sie dort nicht mehr sehen oder ändern.`,
        deleted: `Ein Kontakt hat die Anwendung „${name}“ bei ${platform} gelöscht. Ihre Zugangsdaten gelten nicht mehr.`,
      }[recipientIs],
      isAgain && 'Sie wurden entfernt und seither wieder hinzugefügt: Jetzt sind Sie ein Kontakt.',
      more > 0 && `Es gab ${listed + more} Änderungen, von denen ${listed} hier stehen.`,
    ],
    notes: [`Wenn Sie das nicht erwarten, wenden Sie sich an den Betreiber von ${operator}.`],
  }),
  describeChange: ({ type, by, address, credential, isRecipient }) => {
    const who = by === undefined ? 'Der Betreiber' : 'Ein Kontakt'
    const { kind = 'key', name = '', formerName } = credential ?? {}
    const noun = kind === 'keySet' ? 'die öffentlichen Schlüssel' : THE_OBJECT[kind]
    const what = `${noun} „${name}“`
    return {
      contactRemoved:
        by === address ? 'Ein Kontakt ist ausgetreten' : `${who} hat ${isRecipient ? 'Sie' : 'einen Kontakt'} entfernt`,
      contactAdded:
        by === address ? 'Eine eingeladene Person ist jetzt Kontakt' : `${who} hat einen Kontakt hinzugefügt`,
      contactInvited: `${who} hat eine Person eingeladen`,
      credentialAdded: `${who} hat ${what} hinzugefügt`,
      credentialRotated: `${who} hat ${what} durch ${kind === 'key' ? 'einen neuen' : 'ein neues'} ersetzt`,
      credentialUpdated:
        formerName === undefined
          ? `${who} hat das Ende geändert: ${kind === 'keySet' ? 'Öffentliche Schlüssel' : NOUNS[kind]} „${name}“`
          : `${who} hat ${noun} „${formerName}“ in „${name}“ umbenannt`,
      credentialEnded: `${who} hat ${what} beendet`,
      keySetChanged: `${who} hat ${what} ersetzt oder neu lesen lassen`,
      tokensRevoked: `${who} hat alle Access-Tokens widerrufen`,
      networksChanged: `${who} hat die Netze geändert, aus denen die Anwendung aufrufen darf`,
      deleted: `${who} hat die Anwendung gelöscht`,
    }[type]
  },

  labels: {
    key: (uses) => `Schlüssel (${uses})`,
    secret: 'Secret (client_secret)',
    publicKeys: 'Öffentliche Schlüssel',
    withLibrary: 'Dasselbe mit openid-client, das die Assertion ($CLIENT_ASSERTION) erzeugt',
    publicId: 'Kann statt des Schlüssels die client_id sein; sie ist nicht geheim',
    applicationId: 'Anwendungs-ID',
    contact: 'Kontakt',
    requested: 'Angefragt',
    address: 'Von der Adresse',
    expiresAt: 'Läuft ab am',
    keyExpiresAt: 'Der Schlüssel läuft ab am',
    secretExpiresAt: 'Das Secret läuft ab am',
    firstCharacters: (kind) => `Erste Zeichen (${NOUNS[kind]})`,
    code: 'Code',
    tokenAddress: 'Access-Tokens gibt es unter',
    getToken: 'Access-Token anfordern',
    useToken: 'Die API damit aufrufen (Pfad einer Ressource anhängen)',
    keyHeader: 'Senden Sie Ihren Schlüssel im Header',
    keyScopes: 'Rechte (scopes) Ihres Schlüssels',
    useKey: 'Die API aufrufen (Pfad einer Ressource anhängen)',
    languages: 'Dasselbe in JavaScript, Python, Go, PHP, Java und C#',
    documentation: 'Dokumentation lesen',
    manage: 'Anwendung verwalten',
    support: 'Hilfe',
  },
}

const NO_SECRET =
  'Es gibt kein Secret: Ihre Anwendung erhält Access-Tokens, indem sie ihren privaten Schlüssel nachweist, mit einer Assertion, die sie für jede Anfrage signiert.'
const SHOWN_ONCE = 'Der Link zeigt Ihre Zugangsdaten ein einziges Mal an. Er gilt 72 Stunden.'
const KEEP_SAFE =
  'Bewahren Sie die Zugangsdaten so auf, dass nur Ihre Anwendung sie lesen kann. Sie sind hier nicht gespeichert und können nicht noch einmal angezeigt werden.'
const NOT_REQUESTED = 'Wenn Sie das nicht angefordert haben, können Sie diese E-Mail ignorieren.'

function describePrevious(
  subject: string,
  { worksFor }: NonNullable<MentionedCredential['previous']>,
  byLink: boolean,
): string {
  if (worksFor === undefined) {
    return `${subject} gilt ${byLink ? 'nicht mehr, sobald die neuen Zugangsdaten angezeigt wurden' : 'nicht mehr'}.`
  }
  return `${subject} gilt ${byLink ? 'nach dem Anzeigen der neuen Zugangsdaten ' : ''}noch ${worksFor}.`
}

function formatDays(days: number): string {
  if (days === 0) return 'in weniger als einem Tag'
  return days === 1 ? 'in einem Tag' : `in ${days} Tagen`
}
