import type { RegistrationTexts } from './en.js'

export const es: RegistrationTexts = {
  title: 'Registrar una aplicación',
  name: 'Nombre de su aplicación',
  contact: 'Dirección de correo de los desarrolladores',
  language: 'Idioma de nuestros correos',
  apis: 'API que llama',
  needsApproval: 'Esta API necesita nuestra aprobación.',
  keySet: 'Claves públicas en lugar de un secreto',
  keySetHint:
    'Para una aplicación que demuestra una clave privada (private_key_jwt, RFC 7523): un JWK Set, una clave pública en PEM o la dirección https que sirve el conjunto. Entonces no se crea ningún secreto. No introduzca nunca una clave privada.',
  needsKeySet: 'Esta API solo acepta claves públicas, ningún secreto.',
  keySetMissing: 'Introduzca claves públicas: {apis} no acepta secretos.',
  keySetUnused:
    '{apis} no acepta claves públicas. Registre una aplicación propia para ella, o no indique claves públicas.',
  scopes: 'Scopes que obtiene:',
  optional: '(opcional)',
  register: 'Registrar',
  next: 'Qué pasa después',
  sent: 'Enviamos la clave y el secreto a su dirección de correo, con comandos para probarlos.',
  approval:
    'Si elige una API que necesita nuestra aprobación, una persona de nuestro equipo lee su registro y decide{within}. El correo llega después; hasta entonces, la aplicación no puede llamar a ninguna de sus API.',
  within: { one: ', normalmente en un día laborable', other: ', normalmente en {count} días laborables' },

  notRegistered: 'Su aplicación todavía no está registrada.',
  refused: {
    tooManyUntil: 'Demasiadas solicitudes. Inténtelo {wait}.',
    access_denied: 'Este registro no se acepta.',
    temporarily_unavailable: 'El servicio no está disponible en este momento. Inténtelo dentro de poco.',
    other: 'No ha funcionado. Inténtelo de nuevo.',
  },
  nameMissing: 'Escriba un nombre.',
  nameRefused:
    'Escriba un nombre de hasta 100 caracteres visibles, con menos de 7 cifras seguidas y sin nada que parezca una dirección web (example.com, Node.js).',
  contactMissing: 'Escriba una dirección de correo.',
  contactRefused:
    'Escriba una sola dirección de correo a la que se llegue desde internet, por ejemplo dev@example.com.',
  languageUnknown: 'Elija uno de estos idiomas.',
  apiMissing: 'Elija al menos una API.',
  apiUnknown: 'Elija solo entre estas API.',

  empty: 'Rellene «{label}».',
  unticked: 'Marque «{label}».',
  unchosen: 'Elija uno de los valores de «{label}».',
  longerThan: 'Escriba como máximo {most} caracteres en «{label}».',
  unreadable: 'Escriba en «{label}» un texto sin caracteres de control ni caracteres invisibles.',
  noAddress: 'Escriba en «{label}» una sola dirección de correo, por ejemplo dev@example.com.',
  noUrl: 'Escriba en «{label}» una dirección web que empiece por https:// o http://.',
  tooLong: 'Todas sus respuestas juntas son demasiado largas. Acórtelas.',
  choose: 'Elija uno',

  acceptTerms: 'Acepto las condiciones de uso',
  readTerms: 'Leerlas: versión {version} (abre una pestaña nueva)',
  termsMissing: 'Acepte las condiciones de uso.',
  termsChanged: 'Las condiciones de uso han cambiado. Lea y acepte las nuevas.',

  captchaMissing: 'Complete la comprobación de que es una persona.',
  captchaRefused: 'La comprobación de que es una persona ha fallado. Complétela otra vez.',
  captchaNeedsScripts:
    'La comprobación de que es una persona necesita JavaScript. Actívelo y vuelva a cargar esta página.',

  thanks: 'Gracias',
  received: 'Hemos recibido su registro. Enviamos las credenciales a {contact}.',
  held: 'Hemos recibido su registro. Una persona de nuestro equipo lo lee y decide{within}. Tras la aprobación, enviamos las credenciales a {contact}.',
  givenContact: 'la dirección de correo indicada',
  missingEmail:
    'Si no llega ningún correo, mire entre los no deseados. Si la dirección es errónea, regístrese otra vez.',
  manage: 'Más adelante podrá gestionar la aplicación, con la misma dirección de correo, en',
}
