import type { FrameTexts } from './en.js'

export const es: FrameTexts = {
  menu: 'Menú',
  developers: 'Desarrolladores',
  referenceTab: 'Referencia',
  guides: 'Guías',
  changelogTab: 'Cambios',
  myApplications: 'Mis aplicaciones',
  register: 'Registrar una aplicación',
  help: 'Ayuda',
  switchTheme: 'Cambiar entre claro y oscuro',
  error: (heading) => `Error: ${heading}`,
  copy: 'Copiar',
  copied: 'Copiado',
  notCopied: 'No copiado',
  tryIt: 'Pruébelo',
  getToken: (api) => `Obtener un token de acceso para ${api}`,
  call: (api) => `Llamar a ${api}`,
  reference: (api) => `${api}: referencia y ejemplos en siete lenguajes`,
  downloadEnv: 'Descargar como .env',
  keySetRefused:
    'Introduzca un JWK Set de 1 a 10 claves públicas, una clave pública en PEM o una dirección que empiece por https://.',
}
