import type { SignInTexts } from './en.js'

/** The words of the sign-in, and of all pages that are not of one application, in German. */
export const de: SignInTexts = {
  signOut: 'Abmelden',
  address: 'E-Mail-Adresse',
  addressMissing: 'Geben Sie eine E-Mail-Adresse ein.',
  addressRefused: 'Geben Sie eine einzelne E-Mail-Adresse ein, zum Beispiel dev@example.com.',

  signIn: 'Anmelden',
  askForLink:
    'Geben Sie eine E-Mail-Adresse ein, die Kontakt Ihrer Anwendungen ist, zum Beispiel die, an die deren Zugangsdaten gesendet wurden. Wir senden einen Link und einen Code dorthin.',
  sendEmail: 'E-Mail senden',
  checkEmail: 'Prüfen Sie Ihr Postfach',
  sent: 'Wenn {contact} Kontakt einer Anwendung ist, senden wir jetzt einen Link und einen Code dorthin. Beide gelten 15 Minuten. Öffnen Sie den Link oder geben Sie hier den Code ein.',
  code: 'Code aus der E-Mail',
  codeHint: '8 Buchstaben, zum Beispiel BCDF-GHJK',
  noEmail:
    'Keine E-Mail? Sehen Sie im Spam-Ordner nach oder {link}. Eine Adresse erhält höchstens 5 E-Mails in der Stunde.',
  otherAddress: 'versuchen Sie es mit einer anderen Adresse',
  linkIsValidOnce: 'Der Link aus Ihrer E-Mail funktioniert einmal.',
  linkIncomplete: 'Der Link ist nicht vollständig. Kopieren Sie die ganze Adresse aus der E-Mail.',
  linkNeedsScripts:
    'Dieser Link braucht JavaScript. Ohne JavaScript geben Sie den Code aus der E-Mail auf der Seite ein, auf der Sie ihn angefordert haben.',
  newLink: 'Neuen Link anfordern',
  codeRefused:
    'Der Code ist falsch, wurde schon verwendet oder ist abgelaufen. Nach 5 Versuchen öffnen Sie den Link in der E-Mail oder fordern einen neuen an.',
  linkRefused: 'Der Link wurde schon verwendet oder ist abgelaufen. Fordern Sie einen neuen an.',
  signedOut: 'Sie wurden abgemeldet, oder die Seite wurde vor zu langer Zeit geladen. Melden Sie sich an.',

  invitation: 'Einladung annehmen',
  invitationMeans:
    'Sie werden Kontakt der Anwendung: Sie können ihre Zugangsdaten verwalten, und andere sehen Ihre E-Mail-Adresse.',
  accept: 'Annehmen',
  pastedLink: 'Link aus der E-Mail',
  pastedHint: 'Dieser Browser führt keine Skripte aus. Kopieren Sie den ganzen Link und fügen Sie ihn hier ein.',
  invitationRefused:
    'Der Link ist nicht vollständig, oder die Einladung wurde schon angenommen, wurde zurückgezogen oder ist abgelaufen. Kopieren Sie den ganzen Link aus der E-Mail oder bitten Sie einen Kontakt der Anwendung um einen neuen.',
  accepted: 'Sie sind jetzt Kontakt',
  acceptedBy:
    '{contact} ist jetzt Kontakt der Anwendung {application}. Melden Sie sich mit dieser Adresse an, um sie zu verwalten.',

  notFound: 'Nicht gefunden',
  noPage: 'Diese Seite gibt es nicht, oder sie gehört zu keiner {link}.',
  yourApplications: 'Ihrer Anwendungen',
  outOfDate: 'Diese Seite ist veraltet',
  loadAgain: 'Laden Sie die Seite neu und wiederholen Sie, was Sie getan haben.',
  failed: 'Das hat nicht geklappt',
  refused: {
    tooManyUntil: 'Das waren zu viele Anfragen. Versuchen Sie es {wait} wieder.',
    too_many_requests: 'Das waren zu viele Anfragen. Versuchen Sie es später wieder.',
    temporarily_unavailable: 'Der Dienst ist gerade nicht verfügbar. Versuchen Sie es gleich wieder.',
    server_error: 'Auf dem Server ist ein unerwarteter Fehler aufgetreten. Versuchen Sie es später wieder.',
    access_denied: 'Das Formular kam von einer anderen Website und wurde nicht angenommen.',
    other: 'Die Anfrage wurde nicht angenommen. Laden Sie die Seite neu und versuchen Sie es wieder.',
  },
}
