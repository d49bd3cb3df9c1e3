import type { FrameTexts } from './en.js'

export const fr: FrameTexts = {
  menu: 'Menu',
  developers: 'Développeurs',
  referenceTab: 'Référence',
  guides: 'Guides',
  changelogTab: 'Changements',
  myApplications: 'Mes applications',
  register: 'Enregistrer une application',
  help: 'Aide',
  switchTheme: 'Basculer entre clair et sombre',
  error: (heading) => `Erreur\u00A0: ${heading}`,
  copy: 'Copier',
  copied: 'Copié',
  notCopied: 'Non copié',
  tryIt: 'Essayer',
  getToken: (api) => `Obtenir un jeton d’accès pour ${api}`,
  call: (api) => `Appeler ${api}`,
  reference: (api) => `${api}\u00A0: référence et exemples en sept langages`,
  downloadEnv: 'Télécharger en .env',
  keySetRefused:
    'Saisissez un JWK Set de 1 à 10 clés publiques, une clé publique en PEM ou une adresse qui commence par https://.',
}
