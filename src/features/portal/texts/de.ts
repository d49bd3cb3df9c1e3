import { html } from '../../../shared/web/html.js'
import type { PortalTexts } from './en.js'
import { de as signIn } from './sign-in/de.js'

const NAMES = { key: 'Schlüssel', secret: 'Secret' } as const

/** The words of the portal in German. */
export const de: PortalTexts = {
  language: 'de',
  ...signIn,

  justNow: 'gerade eben',
  soon: 'in weniger als einer Minute',
  created: (date) => html`Erstellt am ${date}`,
  lastUsed: (time) => html`Zuletzt verwendet ${time}`,
  neverUsed: 'Nie verwendet',
  back: 'Zurück',

  noPageOf: (name) =>
    `Diese Seite von ${name} gibt es nicht. Vielleicht wurden die Zugangsdaten, der Kontakt oder die Einladung inzwischen ersetzt oder entfernt.`,
  unchanged: 'Nichts wurde geändert',
  unchangedBecause:
    'Das Formular wurde zweimal gesendet, oder die Anwendung wurde geändert, seit es angezeigt wurde: von Ihnen, einem anderen Kontakt oder uns. Wurde Ihnen ein neuer Schlüssel oder ein neues Secret angezeigt, so gilt der Wert; falls Sie ihn nicht gespeichert haben, erstellen Sie noch einen.',
  showApplication: 'Anwendung anzeigen',

  statuses: { pending: 'Wartet', active: 'Aktiv', suspended: 'Gesperrt', deleted: 'Gelöscht' },
  isPending:
    'Diese Anwendung ist noch nicht aktiv: Sie wartet auf unsere Freigabe oder darauf, dass die E-Mail mit ihren ersten Zugangsdaten ankommt.',
  isSuspended:
    'Diese Anwendung ist gesperrt: Alle ihre Aufrufe werden abgelehnt. Sie können ihre Zugangsdaten noch beenden und ihre Access-Tokens widerrufen. Bitte wenden Sie sich an uns.',
  noApplication: 'Es gibt keine Anwendung mit Ihrer Adresse.',
  register: 'Anwendung registrieren',
  noApiYet: 'Noch keine API',
  expireSoon: (count) =>
    count === 1 ? 'Ein Schlüssel oder Secret läuft bald ab' : `${count} Schlüssel oder Secrets laufen bald ab`,
  application: (link) => html`Anwendung ${link}`,
  applicationId: 'Anwendungs-ID',
  parts: 'Teile dieser Seite',
  notices: {
    deleted: 'Die Anwendung wurde gelöscht.',
    left: 'Sie sind kein Kontakt der Anwendung mehr.',
    renamed: 'Der neue Name ist gespeichert.',
    keySetSaved: 'Die öffentlichen Schlüssel sind gespeichert.',
    keySetReloaded: 'Die Adresse wird für die nächste Anfrage neu gelesen.',
    ended: 'Schlüssel oder Secret ist beendet. Aufrufe damit werden abgelehnt.',
    revoked: 'Alle bisher ausgestellten Access-Tokens werden abgelehnt.',
    accepted: 'Die Nutzungsbedingungen sind akzeptiert.',
    granted: 'Die Anwendung darf die API jetzt verwenden.',
    requested: 'Ihre Anfrage wurde gesendet. Wir teilen Ihnen die Entscheidung per E-Mail mit.',
    invited: 'Die Einladung wurde gesendet. Ihr Link gilt 7 Tage.',
    cancelled: 'Die Einladung ist zurückgezogen. Ihr Link funktioniert nicht mehr.',
    removed: 'Der Kontakt wurde entfernt.',
    networks: 'Die Netze wurden geändert.',
  },

  apis: 'APIs',
  apisAbout: 'Was diese Anwendung aufrufen darf.',
  noApi: 'Diese Anwendung darf keine API aufrufen.',
  granted: 'Gewährt',
  waiting: 'Wartet auf Freigabe',
  request: 'Zugriff beantragen',
  requestMore: 'Mehr beantragen',
  toApi: (title) => `(${title})`,
  requested: (time) => html`Beantragt ${time}`,
  requestApi: (title) => `${title} beantragen`,
  needsApproval: 'Diese API braucht unsere Freigabe. Wir teilen Ihnen die Entscheidung per E-Mail mit.',
  needsApprovalNow:
    'Wir haben diesen Zugriff früher entzogen, deshalb braucht er jetzt unsere Freigabe. Wir teilen Ihnen die Entscheidung per E-Mail mit.',
  grantedAtOnce: 'Ihre Anwendung darf sie sofort verwenden.',
  scopes: 'Scopes',
  noScope: 'Wählen Sie mindestens einen Scope.',

  credentials: 'Zugangsdaten',
  credentialsAbout:
    'Damit weist sich diese Anwendung aus. Nur die ersten Zeichen werden angezeigt: Der Rest ist nicht gespeichert.',
  noCredential: 'Es gibt keine Zugangsdaten.',
  kinds: NAMES,
  ofCredential: (kind, name, isReplaced) => `(${isReplaced ? 'ersetzt: ' : ''}${NAMES[kind]} ${name})`,
  onlyFor: (apis) => `Nur für ${apis}`,
  onlyFrom: (networks) => `Nur aus ${networks}`,
  doesNotExpire: 'Läuft nicht ab',
  replacedUntil: (_kind, date) => html`Ersetzt: gilt bis ${date}`,
  expires: (time) => html`Läuft ab: ${time}`,
  name: 'Name',
  keySets: {
    kind: 'Öffentliche Schlüssel',
    add: 'Öffentliche Schlüssel hinzufügen',
    addAbout:
      'Damit weist eine Anwendung statt mit einem Secret einen privaten Schlüssel nach, wo eine API das annimmt (private_key_jwt, RFC 7523). Sie gelten neben den vorhandenen Secrets.',
    uniqueName: 'Kein anderes Secret und keine anderen öffentlichen Schlüssel heißen so.',
    keys: 'Öffentliche Schlüssel',
    keysHint:
      'Ein JWK Set mit 1 bis 10 Schlüsseln, ein öffentlicher Schlüssel als PEM oder die https-Adresse, unter der das Set steht: Dann können Sie Ihre Schlüssel ohne uns wechseln. Geben Sie niemals einen privaten Schlüssel ein.',
    keysRefused:
      'Geben Sie ein JWK Set mit öffentlichen Schlüsseln, einen öffentlichen Schlüssel als PEM oder eine Adresse ein, die mit https:// beginnt.',
    rename: 'Öffentliche Schlüssel umbenennen',
    replace: 'Öffentliche Schlüssel ersetzen',
    replaceAbout:
      'Ab der nächsten Anfrage zählen nur die neuen. Lassen Sie die alten dabei, bis Ihre Dienste mit den neuen signieren.',
    reload: 'Adresse neu lesen',
    reloadAbout:
      'Wir lesen sie für die nächste Anfrage, was immer sie über das Zwischenspeichern sagt. Schlüssel, die nicht mehr dort stehen, zählen nicht mehr.',
    end: 'Öffentliche Schlüssel beenden',
    endAbout: 'Ab der nächsten Anfrage wird abgelehnt, was damit signiert ist. Das lässt sich nicht rückgängig machen.',
    isOnly:
      'Diese Anwendung hat keine anderen öffentlichen Schlüssel und kein Secret. Was damit signiert, funktioniert dann nicht mehr.',
  },
  uniqueName: { key: 'Kein anderer Schlüssel heißt so.', secret: 'Kein anderes Secret heißt so.' },
  add: { key: 'Schlüssel hinzufügen', secret: 'Secret hinzufügen' },
  addIt: { key: 'Schlüssel hinzufügen', secret: 'Secret hinzufügen' },
  addAbout: {
    key: 'Der neue Schlüssel gilt neben den vorhandenen.',
    secret: 'Das neue Secret gilt neben den vorhandenen, zusammen mit jedem Schlüssel.',
  },
  oneForEach:
    'Geben Sie jedem Ihrer Dienste eigene Zugangsdaten: Dann können Sie sie einzeln ersetzen, ohne die anderen zu berühren.',
  nameHint: 'Der Zweck, zum Beispiel „Lager“ oder „Testsystem“.',
  expiry: 'Läuft ab',
  lifetimes: { 0: 'nie', 30: 'in 30 Tagen', 90: 'in 90 Tagen', 365: 'in einem Jahr' },
  inDays: (days) => (days === 1 ? 'in einem Tag' : `in ${days} Tagen`),
  onDate: (date) => `am ${date}`,
  atTheMost: (end) => `${end} (spätestens)`,
  hasPassed: (date) => `am ${date}, schon vorbei`,
  rename: 'Umbenennen',
  renameIt: { key: 'Schlüssel umbenennen', secret: 'Secret umbenennen' },
  rotate: 'Ersetzen',
  rotateIt: { key: 'Schlüssel ersetzen', secret: 'Secret ersetzen' },
  makeNew: { key: 'Neuen Schlüssel erstellen', secret: 'Neues Secret erstellen' },
  rotateAbout: {
    key: 'Sie erhalten sofort einen neuen Schlüssel. Nur die nächste Seite zeigt ihn an: Halten Sie sich bereit, ihn zu speichern.',
    secret:
      'Sie erhalten sofort ein neues Secret. Nur die nächste Seite zeigt es an: Halten Sie sich bereit, es zu speichern.',
  },
  formerEnds: (kind, date) =>
    kind === 'key'
      ? html`Der Schlüssel davor, der bis ${date} gilt, endet sofort.`
      : html`Das Secret davor, das bis ${date} gilt, endet sofort.`,
  inUse: { key: 'Der bisherige Schlüssel', secret: 'Das bisherige Secret' },
  overlaps: {
    0: 'endet sofort',
    3600: 'gilt noch eine Stunde',
    86400: 'gilt noch einen Tag',
    604800: 'gilt noch 7 Tage',
  },
  end: 'Beenden',
  endOne: { key: 'Schlüssel beenden', secret: 'Secret beenden' },
  endIt: { key: 'Schlüssel beenden', secret: 'Secret beenden' },
  endAbout: {
    key: 'Ab der nächsten Anfrage wird er abgelehnt. Das lässt sich nicht rückgängig machen.',
    secret: 'Ab der nächsten Anfrage wird es abgelehnt. Das lässt sich nicht rückgängig machen.',
  },
  isOnly: {
    key: 'Es ist der einzige Schlüssel dieser Anwendung. Was ihn verwendet, funktioniert dann nicht mehr.',
    secret: 'Es ist das einzige Secret dieser Anwendung. Was es verwendet, funktioniert dann nicht mehr.',
  },
  alsoRevoke: 'Auch alle bisher ausgestellten Access-Tokens ablehnen',
  revoke: 'Alle Access-Tokens widerrufen',
  revokeThem: 'Widerrufen',
  revokeAbout: (name) =>
    `Alle Access-Tokens, die bisher für ${name} ausgestellt wurden, werden ab der nächsten Anfrage abgelehnt. Schlüssel und Secrets bleiben, wie sie sind.`,
  revokeGoesOn: 'Ihre Dienste arbeiten weiter, sobald sie ein neues Access-Token angefordert haben.',

  issued: { key: 'Ihr neuer Schlüssel', secret: 'Ihr neues Secret' },
  shownOnce: {
    key: 'Nur diese Seite zeigt ihn an. Bewahren Sie ihn sicher auf, zum Beispiel in einem Secret-Manager.',
    secret: 'Nur diese Seite zeigt es an. Bewahren Sie es sicher auf, zum Beispiel in einem Secret-Manager.',
  },
  sendAsClientId: 'Anwendungs-ID, als client_id zu senden',
  value: (kind, name) => `${NAMES[kind]} „${name}“`,
  expiresOn: (kind, date) => html`${kind === 'key' ? 'Er' : 'Es'} läuft am ${date} ab.`,
  itDoesNotExpire: { key: 'Er läuft nicht ab.', secret: 'Es läuft nicht ab.' },
  fileExpiresOn: (date) => `Läuft ab am ${date}`,
  stored: { key: 'Ich habe ihn gespeichert', secret: 'Ich habe es gespeichert' },

  ownLimit: (limit, seconds) =>
    `Höchstens ${limit.toLocaleString('de')} ${limit === 1 ? 'Anfrage' : 'Anfragen'} in ${seconds} ${seconds === 1 ? 'Sekunde' : 'Sekunden'}`,
  until: (date) => html`bis ${date}`,

  networks: 'Netze',
  networksAbout: 'Von wo diese Anwendung aufrufen darf. Aufrufe von anderswo werden abgelehnt.',
  anyNetwork: 'Aus jedem Netz.',
  changeNetworks: 'Netze ändern',
  saveNetworks: 'Netze speichern',
  networksHint: (examples) => `Ein Netz oder eine Adresse pro Zeile, etwa ${examples}.`,
  networksEmpty: 'Leer lassen für jedes Netz.',
  networksWithin: (networks) =>
    `Wir erlauben dieser Anwendung Aufrufe aus: ${networks}. Ihre Liste kann nur weniger enthalten.`,
  yourAddress: (address) => html`Ihre eigene Adresse ist ${address}.`,
  networkRefused: (text) =>
    `„${text}“ ist kein Netz. Schreiben Sie seine erste Adresse und seine Bits, etwa 203.0.113.0/24.`,
  networksRefused: 'Die Liste hat zu viele Netze, oder mehr, als wir erlauben.',
  shutsYouOut: (address) =>
    `Die Liste enthält Ihre eigene Adresse ${address} nicht: Aufrufe von Ihrem Standort würden abgelehnt.`,
  saveAnyway: 'Trotzdem speichern',

  plan: 'Tarif',
  planAbout: 'Was Ihre Anfragen verbrauchen, gezählt nach Tag und Monat in UTC. Die neuesten Sekunden können fehlen.',
  today: 'Heute',
  thisMonth: 'Dieser Monat',
  callsOfMonth: 'Aufrufe in 30 Tagen',
  refusedOfMonth: 'Abgelehnt in 30 Tagen',
  quotaLeft: 'Übriges Kontingent',
  noQuota: 'Kein Kontingent',
  endsNext: 'Endet als Nächstes',
  nothingEnds: 'Nichts',
  nameOfList: 'Anwendung',
  lastUse: 'Zuletzt benutzt',
  left: 'Übrig',
  quotaEnds: 'Bis',
  quotaReached: 'Das Kontingent ist verbraucht: Anfragen werden bis dahin abgelehnt.',
  softQuotaReached: 'Das Kontingent ist verbraucht. Weitere Anfragen werden trotzdem beantwortet.',
  usage: 'Nutzung',
  usageAbout: (days) =>
    `Anfragen der letzten ${days} Tage, gezählt nach Tagen in UTC. Die der letzten Minute können noch fehlen, auch wenn eine Ablehnung schon aufgeführt ist.`,
  nothingCounted: 'Noch nichts zu zählen.',
  allowed: 'Erlaubt',
  refusedCount: 'Abgelehnt',
  tokensIssued: 'Ausgestellte Access-Tokens',
  tokens: 'Access-Tokens',
  refusedWith: 'Abgelehnt:',
  day: 'Tag',
  countsOfDay: (date, allowed, refused) => `${date}: ${allowed} erlaubt, ${refused} abgelehnt`,
  table: 'Tabelle',
  ofApi: (title) => `(${title})`,
  refusals: 'Ablehnungen',
  refusalsAbout: 'Die letzten abgelehnten Anfragen aus 7 Tagen, und wie Sie den Fehler beheben.',
  noRefusal: 'Keine Anfrage wurde abgelehnt.',
  times: (count, time) => html`${count} Mal, zuletzt ${time}`,
  from: (address) => `von ${address}`,
  requestId: (id) => html`Anfrage ${id}`,

  colleagues: 'Kontakte',
  colleaguesAbout: 'Wer diese Anwendung sehen und ändern darf. Der erste Kontakt erhält ihre E-Mails.',
  you: 'Sie',
  getsEmails: 'Erhält die E-Mails',
  isInvited: 'Eingeladen',
  invitationEnds: (time) => html`Die Einladung endet ${time}`,
  cancel: 'Zurückziehen',
  invitationOf: (address) => `(Einladung an ${address})`,
  addressOfColleague: 'E-Mail-Adresse eines weiteren Kontakts',
  invite: 'Einladen',
  inviteOne: 'Kontakt einladen',
  inviteAbout: 'Wer dem Link in der E-Mail folgt, darf diese Anwendung sehen und ändern wie Sie. Der Link gilt 7 Tage.',
  remove: 'Entfernen',
  removeOne: 'Kontakt entfernen',
  leave: 'Austreten',
  leaveIt: (name) => `Aus ${name} austreten`,
  thisApplication: '(diese Anwendung)',
  removeAbout: (address) =>
    html`${address} kann diese Anwendung nicht mehr sehen oder ändern und wird abgemeldet, wenn es die einzige ist.`,
  keepWorking: (isMe) =>
    `Zugangsdaten, die ${isMe ? 'Sie kennen' : 'diese Person kennt'}, gelten weiter. Ersetzen Sie sie, wenn das nicht sein darf.`,
  cancelOne: 'Einladung zurückziehen',
  cancelIt: 'Einladung zurückziehen',
  cancelAbout: (address) => html`Der Link, der an ${address} gesendet wurde, funktioniert dann nicht mehr.`,

  terms: 'Nutzungsbedingungen',
  termsAsked: 'Wir bitten Sie, unsere Nutzungsbedingungen zu akzeptieren.',
  readTerms: (version) => `Lesen: Fassung ${version} (öffnet einen neuen Tab)`,
  acceptTerms: 'Nutzungsbedingungen akzeptieren',
  termsChanged: 'Die Nutzungsbedingungen haben sich noch einmal geändert. Lesen und akzeptieren Sie die neuen.',

  deletion: 'Löschen',
  deletionMeans:
    'Alle Zugangsdaten und Access-Tokens werden ab der nächsten Anfrage abgelehnt. Das lässt sich nicht rückgängig machen.',
  deleteIt: 'Diese Anwendung löschen',
  deleteName: (name) => `${name} löschen`,
  deleteAbout:
    'Ihre Zugangsdaten und Access-Tokens werden ab der nächsten Anfrage abgelehnt, für alle. Name, Kontakte und Zugangsdaten der Anwendung werden gelöscht. Das lässt sich nicht rückgängig machen.',
  confirmName: (name) => html`Geben Sie zur Bestätigung den Namen der Anwendung ein: ${name}`,
  otherName: 'Das ist nicht der Name der Anwendung.',

  nameMissing: 'Geben Sie einen Namen ein.',
  nameRefused: (most) =>
    `Ein Name besteht aus 1 bis ${most} sichtbaren Zeichen, ohne Steuerzeichen und unsichtbare Zeichen.`,
  nameIsLink:
    'Ein Name enthält nichts, was wie eine Web- oder E-Mail-Adresse aussieht, und keine 7 Ziffern hintereinander.',
  nameTaken: 'Dieser Name ist schon vergeben. Wählen Sie einen anderen.',
  chooseValue: 'Wählen Sie einen der Werte aus der Liste.',
  operatorEnded: {
    key: 'Der Betreiber hat die Schlüssel dieser Anwendung beendet. Bitten Sie den Betreiber um einen neuen.',
    secret: 'Der Betreiber hat die Secrets dieser Anwendung beendet. Bitten Sie den Betreiber um ein neues.',
  },
  isContact: 'Diese Adresse ist schon Kontakt.',
  invitedBefore: (wait) =>
    `Diese Adresse wurde vor weniger als einer Stunde eingeladen. Bitten Sie die Person, nach dieser E-Mail zu suchen, oder versuchen Sie es ${wait} wieder.`,
  tooManyCredentials: 'Die Grenze von 20 ist erreicht. Beenden Sie zuerst einen Schlüssel oder ein Secret.',
  tooManyContacts: 'Es gibt schon 10 Kontakte und Einladungen; mehr sind nicht möglich.',
  busy: 'Gleichzeitig werden andere Änderungen vorgenommen. Versuchen Sie es wieder.',
  wrongState: 'Der Zustand der Anwendung lässt das nicht zu.',
  impossible: 'Das ist nicht möglich. Prüfen Sie Ihre Eingaben.',
}
