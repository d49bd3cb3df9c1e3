import type { SignInTexts } from './en.js'

/** The words of the sign-in, and of all pages that are not of one application, in Spanish. */
export const es: SignInTexts = {
  signOut: 'Cerrar sesión',
  address: 'Dirección de correo',
  addressMissing: 'Escriba una dirección de correo.',
  addressRefused: 'Escriba una sola dirección de correo, por ejemplo dev@example.com.',

  signIn: 'Iniciar sesión',
  askForLink:
    'Escriba una dirección de correo que sea contacto de sus aplicaciones, por ejemplo la que recibió sus credenciales. Enviamos a ella un enlace y un código.',
  sendEmail: 'Enviar el correo',
  checkEmail: 'Consulte su correo',
  sent: 'Si {contact} es contacto de una aplicación, le enviamos ahora un enlace y un código. Ambos son válidos durante 15 minutos. Abra el enlace o escriba aquí el código.',
  code: 'Código del correo',
  codeHint: '8 letras, por ejemplo BCDF-GHJK',
  noEmail:
    '¿No llega el correo? Mire entre los no deseados o {link}. Una dirección recibe como máximo 5 correos por hora.',
  otherAddress: 'pruebe con otra dirección',
  linkIsValidOnce: 'El enlace de su correo funciona una sola vez.',
  linkIncomplete: 'El enlace no está completo. Copie la dirección entera del correo.',
  linkNeedsScripts:
    'Este enlace necesita JavaScript. Sin JavaScript, escriba el código del correo en la página donde lo pidió.',
  newLink: 'Pedir un enlace nuevo',
  codeRefused:
    'El código es incorrecto, ya se ha usado o ha caducado. Después de 5 intentos, abra el enlace del correo o pida uno nuevo.',
  linkRefused: 'El enlace ya se ha usado o ha caducado. Pida uno nuevo.',
  signedOut: 'Su sesión se ha cerrado, o la página se cargó hace demasiado tiempo. Inicie sesión.',

  invitation: 'Aceptar una invitación',
  invitationMeans:
    'Pasa a ser contacto de la aplicación: puede gestionar sus credenciales, y los demás ven su dirección de correo.',
  accept: 'Aceptar',
  pastedLink: 'Enlace del correo',
  pastedHint: 'Este navegador no ejecuta scripts. Copie el enlace entero y péguelo aquí.',
  invitationRefused:
    'El enlace no está completo, o la invitación ya se ha aceptado, se ha cancelado o ha caducado. Copie el enlace entero del correo o pida uno nuevo a un contacto de la aplicación.',
  accepted: 'Ya es contacto',
  acceptedBy:
    '{contact} ya es contacto de la aplicación {application}. Inicie sesión con esta dirección para gestionarla.',

  notFound: 'Página no encontrada',
  noPage: 'Esta página no existe o no pertenece a ninguna de {link}.',
  yourApplications: 'sus aplicaciones',
  outOfDate: 'Esta página ya no está al día',
  loadAgain: 'Vuelva a cargar la página y repita lo que hizo.',
  failed: 'No ha funcionado',
  refused: {
    tooManyUntil: 'Ha habido demasiadas peticiones. Inténtelo de nuevo {wait}.',
    too_many_requests: 'Ha habido demasiadas peticiones. Inténtelo de nuevo más tarde.',
    temporarily_unavailable: 'El servicio no está disponible en este momento. Inténtelo de nuevo enseguida.',
    server_error: 'El servidor ha encontrado un error inesperado. Inténtelo de nuevo más tarde.',
    access_denied: 'El formulario venía de otro sitio web y no se ha aceptado.',
    other: 'La petición no se ha aceptado. Vuelva a cargar la página e inténtelo de nuevo.',
  },
}
