import { html } from '../../../shared/web/html.js'
import type { PortalTexts } from './en.js'
import { es as signIn } from './sign-in/es.js'

/** The words of the portal in Spanish. */
export const es: PortalTexts = {
  language: 'es',
  ...signIn,

  justNow: 'ahora mismo',
  soon: 'en menos de un minuto',
  created: (date) => html`Creación: ${date}`,
  lastUsed: (time) => html`Último uso: ${time}`,
  neverUsed: 'Sin usar',
  back: 'Volver',

  noPageOf: (name) =>
    `Esta página de ${name} no existe. Es posible que la credencial, el contacto o la invitación se haya sustituido o retirado.`,
  unchanged: 'No se ha cambiado nada',
  unchangedBecause:
    'El formulario se ha enviado dos veces, o la aplicación ha cambiado desde que se mostró: por usted, otro contacto o nosotros. Si se le mostró una clave nueva o un secreto nuevo, su valor es válido; si no lo guardó, cree otro.',
  showApplication: 'Mostrar la aplicación',

  statuses: { pending: 'Pendiente', active: 'Activa', suspended: 'Suspendida', deleted: 'Eliminada' },
  isPending:
    'Esta aplicación todavía no está activa: espera nuestra aprobación, o que llegue el correo con sus primeras credenciales.',
  isSuspended:
    'Esta aplicación está suspendida: todas sus llamadas se rechazan. Todavía puede anular sus credenciales y revocar sus tokens de acceso. Póngase en contacto con nosotros.',
  noApplication: 'No hay ninguna aplicación con su dirección.',
  register: 'Registrar una aplicación',
  noApiYet: 'Todavía sin API',
  expireSoon: (count) => (count === 1 ? 'Una credencial caduca pronto' : `${count} credenciales caducan pronto`),
  application: (link) => html`Aplicación ${link}`,
  applicationId: 'Id. de la aplicación',
  parts: 'Partes de esta página',
  notices: {
    deleted: 'La aplicación se ha eliminado.',
    left: 'Ya no es contacto de la aplicación.',
    renamed: 'El nombre nuevo se ha guardado.',
    keySetSaved: 'Las claves públicas están guardadas.',
    keySetReloaded: 'La dirección se leerá de nuevo para la próxima petición.',
    ended: 'La credencial está anulada. Las llamadas con ella se rechazan.',
    revoked: 'Todos los tokens de acceso emitidos hasta ahora se rechazan.',
    accepted: 'Las condiciones de uso están aceptadas.',
    granted: 'La aplicación ya puede usar la API.',
    requested: 'Su solicitud se ha enviado. Le comunicaremos la decisión por correo.',
    invited: 'La invitación se ha enviado. Su enlace funciona durante 7 días.',
    cancelled: 'La invitación está cancelada. Su enlace ya no funciona.',
    removed: 'El contacto se ha retirado.',
    networks: 'Las redes se han cambiado.',
  },

  apis: 'API',
  apisAbout: 'Lo que esta aplicación puede llamar.',
  noApi: 'Esta aplicación no puede llamar a ninguna API.',
  granted: 'Concedido',
  waiting: 'Espera aprobación',
  request: 'Solicitar acceso',
  requestMore: 'Solicitar más',
  toApi: (title) => `(${title})`,
  requested: (time) => html`Solicitud: ${time}`,
  requestApi: (title) => `Solicitar ${title}`,
  needsApproval: 'Esta API necesita nuestra aprobación. Le comunicaremos la decisión por correo.',
  needsApprovalNow:
    'Retiramos este acceso anteriormente, así que ahora necesita nuestra aprobación. Le comunicaremos la decisión por correo.',
  grantedAtOnce: 'Su aplicación puede usarla enseguida.',
  scopes: 'Scopes',
  noScope: 'Elija al menos un scope.',

  credentials: 'Credenciales',
  credentialsAbout:
    'Con lo que esta aplicación se identifica. Solo se muestran los primeros caracteres: el resto no se guarda.',
  noCredential: 'No hay credenciales.',
  kinds: { key: 'Clave', secret: 'Secreto' },
  ofCredential: (kind, name, isReplaced) =>
    `(${kind === 'key' ? `clave ${isReplaced ? 'sustituida ' : ''}` : `secreto ${isReplaced ? 'sustituido ' : ''}`}${name})`,
  onlyFor: (apis) => `Solo para ${apis}`,
  onlyFrom: (networks) => `Solo desde ${networks}`,
  doesNotExpire: 'No caduca',
  replacedUntil: (kind, date) => html`${kind === 'key' ? 'Sustituida' : 'Sustituido'}: funciona hasta el ${date}`,
  expires: (time) => html`Caducidad: ${time}`,
  name: 'Nombre',
  keySets: {
    kind: 'Claves públicas',
    add: 'Añadir claves públicas',
    addAbout:
      'Con ellas una aplicación demuestra una clave privada en lugar de un secreto, donde una API lo acepta (private_key_jwt, RFC 7523). Funcionan junto a los secretos que ya hay.',
    uniqueName: 'Ningún otro secreto ni conjunto de claves tiene este nombre.',
    keys: 'Claves públicas',
    keysHint:
      'Un JWK Set de 1 a 10 claves, una clave pública en PEM o la dirección https que sirve el conjunto: así puede cambiar sus claves sin nosotros. No introduzca nunca una clave privada.',
    keysRefused:
      'Introduzca un JWK Set de claves públicas, una clave pública en PEM o una dirección que empiece por https://.',
    rename: 'Cambiar el nombre de las claves públicas',
    replace: 'Sustituir las claves públicas',
    replaceAbout:
      'Desde la próxima petición solo cuentan las nuevas. Deje entre ellas las antiguas hasta que sus servicios firmen con las nuevas.',
    reload: 'Leer la dirección de nuevo',
    reloadAbout:
      'La leemos para la próxima petición, diga lo que diga sobre la caché. Las claves que ya no estén allí dejan de contar.',
    end: 'Anular las claves públicas',
    endAbout: 'Desde la próxima petición se rechaza lo que esté firmado con ellas. Esto no se puede deshacer.',
    isOnly:
      'Esta aplicación no tiene otras claves públicas ni ningún secreto. Lo que firme con ellas dejará de funcionar.',
  },
  uniqueName: { key: 'Ninguna otra clave tiene este nombre.', secret: 'Ningún otro secreto tiene este nombre.' },
  add: { key: 'Añadir una clave', secret: 'Añadir un secreto' },
  addIt: { key: 'Añadir la clave', secret: 'Añadir el secreto' },
  addAbout: {
    key: 'La clave nueva funciona junto a las que ya hay.',
    secret: 'El secreto nuevo funciona junto a los que ya hay, con cada clave.',
  },
  oneForEach: 'Dé a cada uno de sus servicios su propia credencial: así puede sustituir una sin tocar las demás.',
  nameHint: 'Para qué es, por ejemplo «almacén» o «pruebas».',
  expiry: 'Caduca',
  lifetimes: { 0: 'nunca', 30: 'en 30 días', 90: 'en 90 días', 365: 'en un año' },
  inDays: (days) => (days === 1 ? 'en un día' : `en ${days} días`),
  onDate: (date) => `el ${date}`,
  atTheMost: (end) => `${end} (como máximo)`,
  hasPassed: (date) => `el ${date}, ya pasado`,
  rename: 'Cambiar el nombre',
  renameIt: { key: 'Cambiar el nombre de una clave', secret: 'Cambiar el nombre de un secreto' },
  rotate: 'Sustituir',
  rotateIt: { key: 'Sustituir una clave', secret: 'Sustituir un secreto' },
  makeNew: { key: 'Crear una clave nueva', secret: 'Crear un secreto nuevo' },
  rotateAbout: {
    key: 'Recibe una clave nueva enseguida. Solo se muestra en la página siguiente: prepárese para guardarla.',
    secret: 'Recibe un secreto nuevo enseguida. Solo se muestra en la página siguiente: prepárese para guardarlo.',
  },
  formerEnds: (kind, date) =>
    kind === 'key'
      ? html`La clave anterior, que funciona hasta el ${date}, se anula enseguida.`
      : html`El secreto anterior, que funciona hasta el ${date}, se anula enseguida.`,
  inUse: { key: 'La clave actual', secret: 'El secreto actual' },
  overlaps: {
    0: 'deja de funcionar enseguida',
    3600: 'funciona una hora más',
    86400: 'funciona un día más',
    604800: 'funciona 7 días más',
  },
  end: 'Anular',
  endOne: { key: 'Anular una clave', secret: 'Anular un secreto' },
  endIt: { key: 'Anular la clave', secret: 'Anular el secreto' },
  endAbout: {
    key: 'Desde la próxima petición se rechaza. Esto no se puede deshacer.',
    secret: 'Desde la próxima petición se rechaza. Esto no se puede deshacer.',
  },
  isOnly: {
    key: 'Es la única clave de esta aplicación. Lo que la use dejará de funcionar.',
    secret: 'Es el único secreto de esta aplicación. Lo que lo use dejará de funcionar.',
  },
  alsoRevoke: 'Rechazar también todos los tokens de acceso emitidos hasta ahora',
  revoke: 'Revocar todos los tokens de acceso',
  revokeThem: 'Revocar',
  revokeAbout: (name) =>
    `Todos los tokens de acceso emitidos hasta ahora para ${name} se rechazan desde la próxima petición. Las claves y los secretos no cambian.`,
  revokeGoesOn: 'Sus servicios siguen funcionando cuando hayan solicitado un token de acceso nuevo.',

  issued: { key: 'Su nueva clave', secret: 'Su nuevo secreto' },
  shownOnce: {
    key: 'Solo se muestra en esta página. Guárdela en un lugar seguro, por ejemplo en un gestor de secretos.',
    secret: 'Solo se muestra en esta página. Guárdelo en un lugar seguro, por ejemplo en un gestor de secretos.',
  },
  sendAsClientId: 'Id. de la aplicación, que se envía como client_id',
  value: (kind, name) => `${kind === 'key' ? 'Clave' : 'Secreto'} «${name}»`,
  expiresOn: (_kind, date) => html`Caduca el ${date}.`,
  itDoesNotExpire: { key: 'No caduca.', secret: 'No caduca.' },
  fileExpiresOn: (date) => `Caduca el ${date}`,
  stored: { key: 'La he guardado', secret: 'Lo he guardado' },

  ownLimit: (limit, seconds) =>
    `Como máximo ${limit.toLocaleString('es')} ${limit === 1 ? 'solicitud' : 'solicitudes'} en ${seconds} ${seconds === 1 ? 'segundo' : 'segundos'}`,
  until: (date) => html`hasta el ${date}`,

  networks: 'Redes',
  networksAbout: 'Desde dónde puede llamar esta aplicación. Las llamadas desde otro lugar se rechazan.',
  anyNetwork: 'Desde cualquier red.',
  changeNetworks: 'Cambiar las redes',
  saveNetworks: 'Guardar las redes',
  networksHint: (examples) => `Una red o una dirección por línea, como ${examples}.`,
  networksEmpty: 'Déjelo vacío para cualquier red.',
  networksWithin: (networks) =>
    `Permitimos a esta aplicación llamar desde: ${networks}. Su lista solo puede contener menos.`,
  yourAddress: (address) => html`Su propia dirección es ${address}.`,
  networkRefused: (text) => `«${text}» no es una red. Escriba su primera dirección y sus bits, como 203.0.113.0/24.`,
  networksRefused: 'La lista tiene demasiadas redes, o más de las que permitimos.',
  shutsYouOut: (address) =>
    `La lista no contiene su propia dirección, ${address}: las llamadas desde donde está se rechazarían.`,
  saveAnyway: 'Guardar de todos modos',

  plan: 'Plan',
  planAbout: 'Lo que consumen sus solicitudes, contado por día y mes en UTC. Pueden faltar los últimos segundos.',
  today: 'Hoy',
  thisMonth: 'Este mes',
  callsOfMonth: 'Llamadas en 30 días',
  refusedOfMonth: 'Rechazadas en 30 días',
  quotaLeft: 'Cuota restante',
  noQuota: 'Sin cuota',
  endsNext: 'Próximo fin',
  nothingEnds: 'Nada',
  nameOfList: 'Aplicación',
  lastUse: 'Último uso',
  left: 'Queda',
  quotaEnds: 'Hasta',
  quotaReached: 'La cuota está agotada: las solicitudes se rechazan hasta entonces.',
  softQuotaReached: 'La cuota está agotada. Las siguientes solicitudes se responden de todos modos.',
  usage: 'Uso',
  usageAbout: (days) =>
    `Peticiones de los últimos ${days} días, contadas por día en UTC. Pueden faltar las del último minuto, aunque un rechazo ya figure en la lista.`,
  nothingCounted: 'Todavía no hay nada que contar.',
  allowed: 'Aceptadas',
  refusedCount: 'Rechazadas',
  tokensIssued: 'Tokens de acceso emitidos',
  tokens: 'Tokens de acceso',
  refusedWith: 'Rechazos:',
  day: 'Día',
  countsOfDay: (date, allowed, refused) => `${date}: ${allowed} aceptadas, ${refused} rechazadas`,
  table: 'Tabla',
  ofApi: (title) => `(${title})`,
  refusals: 'Rechazos',
  refusalsAbout: 'Las últimas peticiones rechazadas en 7 días, y cómo corregirlas.',
  noRefusal: 'No se ha rechazado ninguna petición.',
  times: (count, time) => html`${count} veces, la última ${time}`,
  from: (address) => `desde ${address}`,
  requestId: (id) => html`petición ${id}`,

  colleagues: 'Contactos',
  colleaguesAbout: 'Quién puede ver y cambiar esta aplicación. El primer contacto recibe sus correos.',
  you: 'Usted',
  getsEmails: 'Recibe los correos',
  isInvited: 'Invitación enviada',
  invitationEnds: (time) => html`Fin de la invitación: ${time}`,
  cancel: 'Cancelar',
  invitationOf: (address) => `(invitación de ${address})`,
  addressOfColleague: 'Dirección de correo de otro contacto',
  invite: 'Invitar',
  inviteOne: 'Invitar a un contacto',
  inviteAbout:
    'Quien siga el enlace del correo podrá ver y cambiar esta aplicación igual que usted. El enlace funciona durante 7 días.',
  remove: 'Retirar',
  removeOne: 'Retirar a un contacto',
  leave: 'Darse de baja',
  leaveIt: (name) => `Darse de baja de ${name}`,
  thisApplication: 'de esta aplicación',
  removeAbout: (address) =>
    html`${address} ya no podrá ver ni cambiar esta aplicación, y su sesión se cerrará si es la única.`,
  keepWorking: (isMe) =>
    `Las credenciales que ${isMe ? 'usted conoce' : 'esta persona conoce'} siguen funcionando. Sustitúyalas si no debe ser así.`,
  cancelOne: 'Cancelar una invitación',
  cancelIt: 'Cancelar la invitación',
  cancelAbout: (address) => html`El enlace que se envió a ${address} dejará de funcionar.`,

  terms: 'Condiciones de uso',
  termsAsked: 'Le pedimos que acepte nuestras condiciones de uso.',
  readTerms: (version) => `Leerlas: versión ${version} (abre una pestaña nueva)`,
  acceptTerms: 'Aceptar las condiciones de uso',
  termsChanged: 'Las condiciones de uso han vuelto a cambiar. Lea y acepte las nuevas.',

  deletion: 'Eliminar',
  deletionMeans:
    'Todas las credenciales y los tokens de acceso se rechazan desde la próxima petición. Esto no se puede deshacer.',
  deleteIt: 'Eliminar esta aplicación',
  deleteName: (name) => `Eliminar ${name}`,
  deleteAbout:
    'Sus credenciales y tokens de acceso se rechazan desde la próxima petición, para todos. Su nombre, sus contactos y sus credenciales se borran. Esto no se puede deshacer.',
  confirmName: (name) => html`Para confirmar, escriba el nombre de la aplicación: ${name}`,
  otherName: 'Este no es el nombre de la aplicación.',

  nameMissing: 'Escriba un nombre.',
  nameRefused: (most) =>
    `Un nombre tiene de 1 a ${most} caracteres visibles, sin caracteres de control ni caracteres invisibles.`,
  nameIsLink: 'Un nombre no contiene nada que parezca una dirección web o de correo, ni 7 cifras seguidas.',
  nameTaken: 'Este nombre ya está en uso. Elija otro.',
  chooseValue: 'Elija uno de los valores de la lista.',
  operatorEnded: {
    key: 'El operador ha anulado las claves de esta aplicación. Pídale una nueva.',
    secret: 'El operador ha anulado los secretos de esta aplicación. Pídale uno nuevo.',
  },
  isContact: 'Esta dirección ya es contacto.',
  invitedBefore: (wait) =>
    `Esta dirección recibió una invitación hace menos de una hora. Pida a esa persona que busque ese correo, o inténtelo de nuevo ${wait}.`,
  tooManyCredentials: 'Se ha alcanzado el límite de 20. Anule antes una credencial.',
  tooManyContacts: 'Ya hay 10 contactos e invitaciones; no puede haber más.',
  busy: 'Se están haciendo otros cambios al mismo tiempo. Inténtelo de nuevo.',
  wrongState: 'El estado de la aplicación no lo permite.',
  impossible: 'No es posible. Compruebe lo que ha escrito.',
}
