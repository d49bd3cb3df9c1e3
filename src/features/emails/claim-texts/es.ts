import type { ClaimTexts } from './en.js'

export const es: ClaimTexts = {
  heading: 'Sus credenciales',
  beforehand: 'Sus credenciales solo se muestran una vez. Tenga listo un lugar seguro donde guardarlas.',
  show: 'Mostrar mis credenciales',
  incomplete: 'El enlace está incompleto. Copie la dirección entera del correo.',
  refused: 'El enlace ya se ha utilizado, ha caducado o se sustituyó con un correo más reciente.',
  limited: 'Ha habido demasiados intentos. Inténtelo de nuevo dentro de unos minutos.',
  failed: 'No se han podido obtener las credenciales. Inténtelo de nuevo.',
  needsScripts: 'Esta página necesita JavaScript, que envía la parte secreta del enlace cuando usted hace clic.',
  done: 'Aquí están sus credenciales. Guárdelas ahora.',
  shownOnce: 'Solo se muestran en esta página. Un lugar seguro es, por ejemplo, un gestor de secretos.',
  of: (application) => `Aplicación «${application}»`,
  key: 'Clave',
  secret: 'Secreto',
  expires: 'Caduca el',
  expiresNever: 'No caduca.',
  applicationId: 'Identificador de la aplicación, para enviarlo como client_id',
  keyExpires: (time) => `La clave caduca el ${time}`,
  secretExpires: (time) => `El secreto caduca el ${time}`,
}
