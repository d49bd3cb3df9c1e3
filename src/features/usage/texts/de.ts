import type { RefusalTexts } from './en.js'

const ASK = 'Fragen Sie den Betreiber der API.'
const NEWEST_KEY = 'Verwenden Sie den neuesten Schlüssel der Anwendung oder erstellen Sie einen neuen.'
const NEWEST_SECRET = 'Verwenden Sie das neueste Secret der Anwendung oder erstellen Sie ein neues.'
const ANOTHER_METHOD = 'Verwenden Sie eine Methode, die es in der API unter dieser Adresse gibt.'

export const de: RefusalTexts = {
  justNow: 'gerade eben',
  quote: '„{text}“',
  seconds: '{count} Sekunden',
  reasons: {
    expired_token: [
      'Das Access-Token ist{ago} abgelaufen',
      'Fordern Sie ein neues Access-Token an. In expires_in steht, wie viele Sekunden es gilt.',
    ],
    token_of_another_api: [
      'Das Access-Token wurde für eine andere API{api} ausgestellt',
      'Fordern Sie ein Access-Token am Token-Endpunkt dieser API an.',
    ],
    revoked_token: ['Das Access-Token wurde widerrufen', 'Fordern Sie ein neues Access-Token an.'],
    insufficient_scope: [
      'Dem Access-Token fehlt ein Scope, den die Anfrage braucht{scopes}',
      'Fordern Sie ein Access-Token ohne `scope` oder mit diesem Scope an. Wenn die Anwendung ihn nicht hat, beantragen Sie Zugriff.',
    ],
    method_not_allowed: ['Kein Access-Token erlaubt hier diese Methode', ANOTHER_METHOD],
    insufficient_scope_of_key: [
      'Dem API-Schlüssel fehlt ein Scope, den die Anfrage braucht{scopes}',
      'Verwenden Sie einen Schlüssel mit diesem Scope. Wenn die Anwendung ihn nicht hat, beantragen Sie Zugriff.',
    ],
    method_not_allowed_of_key: ['Kein API-Schlüssel erlaubt hier diese Methode', ANOTHER_METHOD],
    expired_key: ['Der API-Schlüssel{credential} ist{ago} abgelaufen', NEWEST_KEY],
    restricted_key: [
      'Der API-Schlüssel{credential} gilt nicht für diese API',
      'Verwenden Sie einen Schlüssel, der für diese API gilt.',
    ],
    network_not_allowed: [
      'Die Anfrage kam aus einem Netz, aus dem die Zugangsdaten nicht verwendet werden dürfen{address}',
      'Rufen Sie aus einem Netz der Liste auf, oder bitten Sie darum, die Liste zu ändern.',
    ],
    suspended: ['Die Anwendung ist gesperrt', ASK],
    not_allowed: ['Die Anwendung darf diese API nicht verwenden', 'Beantragen Sie Zugriff auf diese API.'],
    refused_by_host: ['Die API selbst hat die Anfrage abgelehnt', 'Warum, steht in error_description der Antwort.'],
    wrong_secret: [
      'Das Client-Secret ist falsch',
      'Verwenden Sie das neueste Secret der Anwendung, vollständig und unverändert, oder erstellen Sie ein neues.',
    ],
    expired_secret: ['Das Client-Secret{credential} ist{ago} abgelaufen', NEWEST_SECRET],
    wrong_assertion: [
      'Die Client-Assertion ist mit keinem Schlüssel der Anwendung signiert',
      'Signieren Sie mit einem Schlüssel aus der neuesten Schlüsselmenge der Anwendung.',
    ],
    expired_key_set: [
      'Die Schlüsselmenge{credential} ist{ago} abgelaufen',
      'Signieren Sie mit einem Schlüssel aus der neuesten Schlüsselmenge der Anwendung.',
    ],
    replayed_assertion: [
      'Die Client-Assertion wurde schon verwendet',
      'Geben Sie jeder Anfrage eine Assertion mit einer eigenen jti.',
    ],
    restricted_secret: [
      'Das Client-Secret{credential} gilt nicht für diese API',
      'Verwenden Sie ein Secret, das für diese API gilt.',
    ],
    invalid_scope: [
      'Keiner der angeforderten Scopes kann gewährt werden',
      'Fordern Sie Scopes an, die es in dieser API gibt und die der Anwendung gewährt sind, oder lassen Sie `scope` weg.',
    ],
    invalid_target: [
      'Die Token-Anfrage nennt die Ressource einer anderen API',
      'Lassen Sie `resource` weg oder senden Sie die Kennung dieser API.',
    ],
    invalid_request: ['Die Anfrage ist fehlerhaft', 'Was nicht stimmt, steht in error_description der Antwort.'],
    unsupported_grant_type: ['Der Grant-Typ wird nicht unterstützt', 'Senden Sie grant_type=client_credentials.'],
    too_many_requests: [
      'Es waren zu viele Anfragen{seconds}',
      'Senden Sie weniger, und warten Sie vor der nächsten die Sekunden in Retry-After ab.',
    ],
    quota_exceeded: [
      'Das Kontingent der Anwendung war verbraucht{seconds}',
      'Warten Sie die Sekunden in Retry-After ab, oder bitten Sie den Anbieter um einen anderen Tarif.',
    ],
    cost_above_limit: [
      'Die Anfrage kostet mehr, als eine Grenze des Tarifs der Anwendung auf einmal zulässt',
      'Verlangen Sie mit einer Anfrage weniger, oder bitten Sie den Anbieter um einen anderen Tarif. So wird sie nie angenommen.',
    ],
    temporarily_unavailable: [
      'Der Dienst war vorübergehend nicht verfügbar',
      'Versuchen Sie es wieder, frühestens nach den Sekunden in Retry-After.',
    ],
    server_error: [
      'Auf dem Server ist ein unerwarteter Fehler aufgetreten',
      `Versuchen Sie es später wieder. Wenn es noch einmal geschieht: ${ASK}`,
    ],
    unknown: ['Die Anfrage wurde abgelehnt', `Mehr steht in error_description der Antwort. ${ASK}`],
  },
}
