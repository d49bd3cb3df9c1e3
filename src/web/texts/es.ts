import type { FrameTexts } from './en.js'

export const es: FrameTexts = {
  allApis: 'Todas las API',
  myApplications: 'Mis aplicaciones',
  help: 'Ayuda',
  switchTheme: 'Cambiar entre claro y oscuro',
  error: (heading) => `Error: ${heading}`,
  copy: 'Copiar',
  copied: 'Copiado',
  notCopied: 'No copiado',
}
