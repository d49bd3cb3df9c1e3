import type { RegistrationTexts } from './en.js'

export const de: RegistrationTexts = {
  title: 'Anwendung registrieren',
  name: 'Name Ihrer Anwendung',
  contact: 'E-Mail-Adresse der Entwickler',
  language: 'Sprache unserer E-Mails',
  apis: 'APIs, die sie aufruft',
  needsApproval: 'Diese API braucht unsere Freigabe.',
  keySet: 'Öffentliche Schlüssel statt eines Secrets',
  keySetHint:
    'Für eine Anwendung, die einen privaten Schlüssel nachweist (private_key_jwt, RFC 7523): ein JWK Set, ein öffentlicher Schlüssel als PEM oder die https-Adresse, unter der das Set steht. Dann entsteht kein Secret. Geben Sie niemals einen privaten Schlüssel ein.',
  needsKeySet: 'Diese API nimmt nur öffentliche Schlüssel an, kein Secret.',
  keySetMissing: 'Geben Sie öffentliche Schlüssel ein: {apis} nimmt kein Secret an.',
  keySetUnused:
    '{apis} nimmt keine öffentlichen Schlüssel an. Registrieren Sie dafür eine eigene Anwendung oder lassen Sie die öffentlichen Schlüssel weg.',
  scopes: 'Scopes, die sie erhält:',
  optional: '(freiwillig)',
  register: 'Registrieren',
  next: 'Wie es weitergeht',
  sent: 'Wir senden den Schlüssel und das Secret an Ihre E-Mail-Adresse, mit Befehlen zum Ausprobieren.',
  approval:
    'Wenn Sie eine API wählen, die unsere Freigabe braucht, liest jemand von uns Ihre Registrierung und entscheidet{within}. Die E-Mail kommt danach; bis dahin kann die Anwendung keine ihrer APIs aufrufen.',
  within: { one: ', in der Regel innerhalb eines Werktags', other: ', in der Regel innerhalb von {count} Werktagen' },

  notRegistered: 'Ihre Anwendung ist noch nicht registriert.',
  refused: {
    tooManyUntil: 'Zu viele Anfragen. Bitte versuchen Sie es {wait} noch einmal.',
    access_denied: 'Diese Registrierung wird nicht angenommen.',
    temporarily_unavailable: 'Der Dienst ist gerade nicht erreichbar. Bitte versuchen Sie es gleich noch einmal.',
    other: 'Das hat nicht geklappt. Bitte versuchen Sie es noch einmal.',
  },
  nameMissing: 'Geben Sie einen Namen ein.',
  nameRefused:
    'Geben Sie einen Namen mit bis zu 100 sichtbaren Zeichen ein, mit weniger als 7 Ziffern hintereinander und ohne etwas, das wie eine Webadresse aussieht (example.com, Node.js).',
  contactMissing: 'Geben Sie eine E-Mail-Adresse ein.',
  contactRefused:
    'Geben Sie eine einzelne E-Mail-Adresse ein, die aus dem Internet erreichbar ist, zum Beispiel dev@example.com.',
  languageUnknown: 'Wählen Sie eine dieser Sprachen.',
  apiMissing: 'Wählen Sie mindestens eine API.',
  apiUnknown: 'Wählen Sie nur aus diesen APIs.',

  empty: 'Füllen Sie „{label}“ aus.',
  unticked: 'Kreuzen Sie „{label}“ an.',
  unchosen: 'Wählen Sie einen der Werte von „{label}“.',
  longerThan: 'Geben Sie bei „{label}“ höchstens {most} Zeichen ein.',
  unreadable: 'Geben Sie bei „{label}“ Text ohne Steuerzeichen und unsichtbare Zeichen ein.',
  noAddress: 'Geben Sie bei „{label}“ eine einzelne E-Mail-Adresse ein, zum Beispiel dev@example.com.',
  noUrl: 'Geben Sie bei „{label}“ eine Webadresse ein, die mit https:// oder http:// beginnt.',
  tooLong: 'Alle Ihre Angaben zusammen sind zu lang. Kürzen Sie sie.',
  choose: 'Bitte wählen',

  acceptTerms: 'Ich akzeptiere die Nutzungsbedingungen',
  readTerms: 'Lesen: Fassung {version} (öffnet einen neuen Tab)',
  termsMissing: 'Akzeptieren Sie die Nutzungsbedingungen.',
  termsChanged: 'Die Nutzungsbedingungen haben sich geändert. Lesen und akzeptieren Sie die neuen.',

  captchaMissing: 'Schließen Sie die Prüfung ab, ob Sie ein Mensch sind.',
  captchaRefused: 'Die Prüfung, ob Sie ein Mensch sind, ist fehlgeschlagen. Führen Sie sie noch einmal durch.',
  captchaNeedsScripts:
    'Die Prüfung, ob Sie ein Mensch sind, braucht JavaScript. Bitte schalten Sie es ein und laden Sie die Seite neu.',

  thanks: 'Vielen Dank',
  received: 'Ihre Registrierung ist eingegangen. Wir senden die Zugangsdaten an {contact}.',
  held: 'Ihre Registrierung ist eingegangen. Jemand von uns liest sie und entscheidet{within}. Nach der Freigabe senden wir die Zugangsdaten an {contact}.',
  givenContact: 'die angegebene E-Mail-Adresse',
  missingEmail:
    'Wenn keine E-Mail kommt, sehen Sie im Spam-Ordner nach. Wenn die Adresse falsch ist, registrieren Sie sich noch einmal.',
  manage: 'Später verwalten Sie die Anwendung mit derselben E-Mail-Adresse unter',
}
