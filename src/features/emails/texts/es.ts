import type { MentionedCredential, Phrases } from './phrases.js'

const UNITS = {
  day: ['día', 'días'],
  hour: ['hora', 'horas'],
  minute: ['minuto', 'minutos'],
  second: ['segundo', 'segundos'],
} as const
const YOUR_NEW = { key: 'Su nueva clave', secret: 'Su nuevo secreto' } as const
const A_NEW = { key: 'una clave nueva', secret: 'un secreto nuevo' } as const
const YOUR = { key: 'Su clave', secret: 'Su secreto' } as const
const THE = { key: 'La clave', secret: 'El secreto' } as const

/** The built-in words in Spanish. */
export const es: Phrases = {
  duration: (count, unit) => `${count} ${UNITS[unit][count === 1 ? 0 : 1]}`,
  date: (date) => new Intl.DateTimeFormat('es', { dateStyle: 'long', timeZone: 'UTC' }).format(date),

  registration: ({ name, platform, byLink, replacesEarlier, provesKey }) => ({
    subject: `Sus credenciales para ${platform}`,
    heading: 'Sus credenciales',
    paragraphs: [
      `Su aplicación «${name}» está registrada en ${platform}.`,
      replacesEarlier && 'Este correo sustituye a todos los anteriores con credenciales para esta aplicación.',
      provesKey && NO_SECRET,
      byLink && SHOWN_ONCE,
    ],
    actions: byLink ? ['Mostrar mis credenciales'] : [],
    notes: [!byLink && KEEP_SAFE, NOT_REQUESTED],
  }),

  replaced: (kind, { name, platform, credential, byLink, previous, replacesEarlier }) => ({
    subject: `${YOUR_NEW[kind]} para ${platform}`,
    heading: YOUR_NEW[kind],
    paragraphs: [
      `Hay ${A_NEW[kind]} para su aplicación «${name}» en ${platform}.`,
      credential !== undefined && `Su nombre es «${credential}».`,
      replacesEarlier && `Este correo sustituye a todos los anteriores con ${A_NEW[kind]} para esta aplicación.`,
      previous !== undefined && describePrevious(kind, previous, byLink),
      byLink && SHOWN_ONCE,
    ],
    actions: byLink ? ['Mostrar mis credenciales'] : [],
    notes: [!byLink && KEEP_SAFE, NOT_REQUESTED],
  }),

  expiring: ({ name, platform, operator, kind, credential, date, daysLeft, replacement, selfService }) => ({
    subject: `${YOUR[kind]} para ${platform} caduca el ${date}`,
    heading: `${YOUR[kind]} caduca ${formatDays(daysLeft)}`,
    paragraphs: [
      `${THE[kind]} «${credential}» de su aplicación «${name}» en ${platform} caduca ${formatDays(daysLeft)}. A partir de entonces se rechazará.`,
      replacement === undefined
        ? `${selfService ? 'Cree' : `Pida al operador de ${operator}`} ${A_NEW[kind]} y ${kind === 'key' ? 'úsela' : 'úselo'} en su lugar antes de esa fecha.`
        : `Ya existe ${A_NEW[kind]} que aún no se ha usado y que empieza por ${replacement}. ${kind === 'key' ? 'Úsela' : 'Úselo'} en su lugar antes de esa fecha.`,
    ],
    notes: [`Si ya nadie usa ${kind === 'key' ? 'esta clave' : 'este secreto'}, puede ignorar este correo.`],
  }),

  invitation: ({ name, platform, byContact }) => ({
    subject: `Invitación a una aplicación en ${platform}`,
    heading: 'Ha recibido una invitación',
    paragraphs: [
      byContact
        ? `Un contacto de la aplicación «${name}» en ${platform} le invita a gestionarla también.`
        : `El operador de ${platform} le invita a gestionar también allí la aplicación «${name}».`,
      'Si acepta, podrá iniciar sesión allí, ver cómo la aplicación usa las API y gestionar sus credenciales. El enlace funciona una sola vez, durante 7 días.',
    ],
    actions: ['Aceptar la invitación'],
    notes: ['Si no conoce la aplicación, ignore este correo: no ocurrirá nada.'],
  }),

  signIn: ({ platform, minutes }) => ({
    subject: `Inicio de sesión en ${platform}`,
    heading: 'Iniciar sesión',
    paragraphs: [
      `Alguien ha pedido iniciar sesión en ${platform} con su dirección de correo. Abra el enlace o escriba el código en la página donde lo pidió.`,
      `Ambos funcionan una sola vez, durante ${minutes} minutos.`,
    ],
    actions: ['Iniciar sesión'],
    notes: ['Si no ha sido usted, ignore este correo y no dé el código a nadie: quien lo tenga puede iniciar sesión.'],
  }),

  approvalRequest: ({ name, platform, access }) => ({
    subject: access
      ? `Una solicitud de API en ${platform} espera su decisión`
      : `Un registro en ${platform} espera su decisión`,
    heading: access ? 'Una aplicación solicita una API' : 'Una aplicación solicita registrarse',
    paragraphs: [
      access
        ? `La aplicación «${name}» solicita más acceso a las API de ${platform}.`
        : `Alguien ha registrado la aplicación «${name}» en ${platform}. Recibirá sus credenciales cuando usted la apruebe.`,
      'Ambos enlaces abren una página donde se confirma la decisión. Funcionan durante 14 días, hasta que alguien decida.',
    ],
    actions: ['Aprobar', 'Rechazar'],
    notes: ['Los enlaces son solo para usted: quien tenga este correo puede decidir en su nombre.'],
  }),

  approved: ({ name, platform, apis, tokens }) => ({
    subject: `Su solicitud en ${platform} ha sido aprobada`,
    heading: 'Su solicitud ha sido aprobada',
    paragraphs: [
      `Su aplicación «${name}» en ${platform} ya puede usar ${apis}.`,
      'Utiliza las credenciales que ya tiene.',
      tokens && 'Los tokens de acceso anteriores no incluyen este acceso; solicite uno nuevo.',
    ],
  }),

  denied: ({ name, platform, api, reason }) => ({
    subject:
      api === undefined
        ? `Su registro en ${platform} no ha sido aprobado`
        : `Su solicitud en ${platform} no ha sido aprobada`,
    heading: api === undefined ? 'Su registro no ha sido aprobado' : 'Su solicitud no ha sido aprobada',
    paragraphs: [
      api === undefined
        ? `El operador de ${platform} no ha aprobado el registro de su aplicación «${name}». Los datos que introdujo se han eliminado.`
        : `El operador de ${platform} no ha aprobado la solicitud de su aplicación «${name}» para usar ${api}. Lo que ya puede usar no cambia.`,
      reason !== undefined && `Motivo: ${reason}`,
    ],
  }),

  suspended: ({ name, platform, reason }) => ({
    subject: `Su aplicación en ${platform} está suspendida`,
    heading: 'Su aplicación está suspendida',
    paragraphs: [
      `El operador de ${platform} ha suspendido su aplicación «${name}». Sus credenciales y tokens de acceso se rechazan hasta que se reactive; entonces volverán a funcionar.`,
      reason !== undefined && `Motivo: ${reason}`,
    ],
  }),

  quota: ({ name, platform, percent, limit, per, soft, date }) => ({
    subject:
      percent === 100
        ? `Su cuota en ${platform} está agotada`
        : `Se ha usado el ${percent}\u00A0% de su cuota en ${platform}`,
    heading: percent === 100 ? 'Su cuota está agotada' : `Se ha usado el ${percent}\u00A0% de su cuota`,
    paragraphs: [
      `En ${platform}, su aplicación «${name}» ha usado el ${percent}\u00A0% de las ${limit} solicitudes que tiene al ${per === 'day' ? 'día' : 'mes'} (UTC).`,
      soft
        ? 'Las siguientes solicitudes se responden de todos modos.'
        : `${percent === 100 ? 'Las' : 'Después de la última, las'} siguientes solicitudes se rechazan hasta el ${date}.`,
    ],
  }),

  changes: ({ name, platform, operator, recipientIs, isAgain, listed, more }) => ({
    ...{
      contact: {
        subject: `Cambios en su aplicación en ${platform}`,
        heading: 'Su aplicación ha cambiado',
      },
      removed: {
        subject: `Ya no es contacto de una aplicación en ${platform}`,
        heading: 'Ya no es contacto',
      },
      deleted: {
        subject: `Su aplicación en ${platform} se ha eliminado`,
        heading: 'Su aplicación se ha eliminado',
      },
    }[recipientIs],
    paragraphs: [
      {
        contact: `La aplicación «${name}» en ${platform} ha cambiado como sigue.`,
        removed: `Ya no figura entre los contactos de la aplicación «${name}» en ${platform} y no puede verla ni cambiarla allí.`,
        deleted: `Un contacto ha eliminado la aplicación «${name}» en ${platform}. Sus credenciales ya no funcionan.`,
      }[recipientIs],
      isAgain && 'Se le retiró y después se le añadió de nuevo: ahora es contacto.',
      more > 0 && `Hubo ${listed + more} cambios, de los cuales aquí figuran ${listed}.`,
    ],
    notes: [`Si no esperaba esto, avise al operador de ${operator}.`],
  }),
  describeChange: ({ type, by, address, credential, isRecipient }) => {
    const who = by === undefined ? 'El operador' : 'Un contacto'
    const { kind = 'key', name = '', formerName } = credential ?? {}
    const noun = { key: 'la clave', secret: 'el secreto', keySet: 'las claves públicas' }[kind]
    return {
      contactRemoved:
        by === address
          ? 'Un contacto se ha dado de baja'
          : `${who} ${isRecipient ? 'le ha retirado' : 'ha retirado a un contacto'}`,
      contactAdded: by === address ? 'Una persona invitada es ahora contacto' : `${who} ha añadido un contacto`,
      contactInvited: `${who} ha invitado a una persona`,
      credentialAdded: `${who} ha añadido ${noun} «${name}»`,
      credentialRotated: `${who} ha sustituido ${noun} «${name}» por ${kind === 'key' ? 'una nueva' : 'uno nuevo'}`,
      credentialUpdated:
        formerName === undefined
          ? `${who} ha cambiado la caducidad: ${noun} «${name}»`
          : `${who} ha cambiado el nombre: ${noun} «${formerName}» es ahora «${name}»`,
      credentialEnded: `${who} ha anulado ${noun} «${name}»`,
      keySetChanged: `${who} ha sustituido ${noun} «${name}», o ha hecho que se lean de nuevo`,
      tokensRevoked: `${who} ha revocado todos los tokens de acceso`,
      networksChanged: `${who} ha cambiado las redes desde las que puede llamar la aplicación`,
      deleted: `${who} ha eliminado la aplicación`,
    }[type]
  },

  labels: {
    key: (uses) => `Clave (${uses})`,
    secret: 'Secreto (client_secret)',
    publicKeys: 'Claves públicas',
    withLibrary: 'Lo mismo con openid-client, que crea la aserción ($CLIENT_ASSERTION)',
    publicId: 'Puede ser el client_id en lugar de la clave; no es secreto',
    applicationId: 'Id. de la aplicación',
    contact: 'Contacto',
    requested: 'Solicita',
    address: 'Desde la dirección',
    expiresAt: 'Caduca el',
    keyExpiresAt: 'La clave caduca el',
    secretExpiresAt: 'El secreto caduca el',
    firstCharacters: (kind) => (kind === 'key' ? 'Primeros caracteres de la clave' : 'Primeros caracteres del secreto'),
    code: 'Código',
    tokenAddress: 'Los tokens de acceso se obtienen en',
    getToken: 'Obtener un token de acceso',
    useToken: 'Llamar a la API con él (añada la ruta de un recurso)',
    keyHeader: 'Envíe su clave en la cabecera',
    keyScopes: 'Permisos (scopes) de su clave',
    useKey: 'Llamar a la API (añada la ruta de un recurso)',
    languages: 'Lo mismo en JavaScript, Python, Go, PHP, Java y C#',
    documentation: 'Leer la documentación',
    manage: 'Gestionar la aplicación',
    support: 'Ayuda',
  },
}

const NO_SECRET =
  'No hay secreto: su aplicación obtiene tokens de acceso demostrando su clave privada, con una aserción que firma para cada solicitud.'
const SHOWN_ONCE = 'El enlace muestra sus credenciales una sola vez. Funciona durante 72 horas.'
const KEEP_SAFE =
  'Guarde las credenciales donde solo su aplicación pueda leerlas. No se almacenan aquí y no se pueden volver a mostrar.'
const NOT_REQUESTED = 'Si no lo ha solicitado usted, puede ignorar este correo.'

function describePrevious(
  kind: 'key' | 'secret',
  { worksFor }: NonNullable<MentionedCredential['previous']>,
  byLink: boolean,
): string {
  const [subject, shown] =
    kind === 'key' ? ['La clave anterior', 'se muestre la nueva'] : ['El secreto anterior', 'se muestre el nuevo']
  if (worksFor !== undefined) {
    return `${subject} sigue funcionando durante ${worksFor}${byLink ? ` después de que ${shown}` : ''}.`
  }
  return byLink ? `${subject} dejará de funcionar cuando ${shown}.` : `${subject} ya no funciona.`
}

function formatDays(days: number): string {
  if (days === 0) return 'en menos de un día'
  return days === 1 ? 'en un día' : `en ${days} días`
}
