import type { FrameTexts } from './en.js'

export const fr: FrameTexts = {
  allApis: 'Toutes les API',
  myApplications: 'Mes applications',
  help: 'Aide',
  switchTheme: 'Basculer entre clair et sombre',
  error: (heading) => `Erreur\u00A0: ${heading}`,
  copy: 'Copier',
  copied: 'Copié',
  notCopied: 'Non copié',
}
