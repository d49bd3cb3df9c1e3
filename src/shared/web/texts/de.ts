import type { FrameTexts } from './en.js'

export const de: FrameTexts = {
  menu: 'Menü',
  developers: 'Entwickler',
  referenceTab: 'Referenz',
  guides: 'Anleitungen',
  changelogTab: 'Änderungen',
  myApplications: 'Meine Anwendungen',
  register: 'Anwendung registrieren',
  help: 'Hilfe',
  switchTheme: 'Zwischen Hell und Dunkel wechseln',
  error: (heading) => `Fehler: ${heading}`,
  copy: 'Kopieren',
  copied: 'Kopiert',
  notCopied: 'Nicht kopiert',
  tryIt: 'Ausprobieren',
  getToken: (api) => `Access-Token für ${api} anfordern`,
  call: (api) => `${api} aufrufen`,
  reference: (api) => `${api}: Referenz und Beispiele in sieben Sprachen`,
  downloadEnv: 'Als .env herunterladen',
  keySetRefused:
    'Geben Sie ein JWK Set mit 1 bis 10 öffentlichen Schlüsseln, einen öffentlichen Schlüssel als PEM oder eine Adresse ein, die mit https:// beginnt.',
}
