import type { ClaimTexts } from './en.js'

export const de: ClaimTexts = {
  heading: 'Ihre Zugangsdaten',
  beforehand:
    'Ihre Zugangsdaten werden nur einmal angezeigt. Halten Sie einen sicheren Ort bereit, an dem Sie sie speichern.',
  show: 'Zugangsdaten anzeigen',
  incomplete: 'Der Link ist unvollständig. Kopieren Sie die ganze Adresse aus der E-Mail.',
  refused: 'Der Link wurde schon verwendet, ist abgelaufen oder wurde durch eine neuere E-Mail ersetzt.',
  limited: 'Es gab zu viele Versuche. Versuchen Sie es in einigen Minuten noch einmal.',
  failed: 'Die Zugangsdaten konnten nicht abgerufen werden. Versuchen Sie es noch einmal.',
  needsScripts: 'Diese Seite braucht JavaScript, das den geheimen Teil des Links beim Klick sendet.',
  done: 'Hier sind Ihre Zugangsdaten. Speichern Sie sie jetzt.',
  shownOnce: 'Sie werden nur auf dieser Seite angezeigt. Ein sicherer Ort ist zum Beispiel ein Secret-Manager.',
  of: (application) => `Anwendung „${application}“`,
  key: 'Schlüssel',
  secret: 'Secret',
  expires: 'Läuft ab am',
  expiresNever: 'Läuft nicht ab.',
  applicationId: 'Anwendungs-ID, als client_id zu senden',
  keyExpires: (time) => `Der Schlüssel läuft ab am ${time}`,
  secretExpires: (time) => `Das Secret läuft ab am ${time}`,
}
