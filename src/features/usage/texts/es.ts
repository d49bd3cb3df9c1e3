import type { RefusalTexts } from './en.js'

const ASK = 'Pregunte al proveedor de la API.'
const NEWEST_KEY = 'Use la clave más reciente de la aplicación o cree una nueva.'
const NEWEST_SECRET = 'Use el secreto más reciente de la aplicación o cree uno nuevo.'
const ANOTHER_METHOD = 'Use un método que la API tenga en esta dirección.'

export const es: RefusalTexts = {
  justNow: 'ahora mismo',
  quote: '«{text}»',
  seconds: '{count} segundos',
  reasons: {
    expired_token: [
      'El token de acceso caducó{ago}',
      'Solicite un token de acceso nuevo. En expires_in indica cuántos segundos dura.',
    ],
    token_of_another_api: [
      'El token de acceso se emitió para otra API{api}',
      'Solicite un token de acceso en el punto de acceso de tokens de esta API.',
    ],
    revoked_token: ['El token de acceso fue revocado', 'Solicite un token de acceso nuevo.'],
    insufficient_scope: [
      'Al token de acceso le falta un scope que la petición necesita{scopes}',
      'Solicite un token de acceso sin `scope`, o con ese scope. Si la aplicación no lo tiene, solicite acceso.',
    ],
    method_not_allowed: ['Ningún token de acceso permite este método aquí', ANOTHER_METHOD],
    insufficient_scope_of_key: [
      'A la clave de API le falta un scope que la petición necesita{scopes}',
      'Use una clave que tenga ese scope. Si la aplicación no lo tiene, solicite acceso.',
    ],
    method_not_allowed_of_key: ['Ninguna clave de API permite este método aquí', ANOTHER_METHOD],
    expired_key: ['La clave de API{credential} caducó{ago}', NEWEST_KEY],
    restricted_key: ['La clave de API{credential} no sirve para esta API', 'Use una clave que sirva para esta API.'],
    network_not_allowed: [
      'La petición vino de una red desde la que no se puede usar la credencial{address}',
      'Llame desde una red de la lista o pida que se cambie la lista.',
    ],
    suspended: ['La aplicación está suspendida', ASK],
    not_allowed: ['La aplicación no puede usar esta API', 'Solicite acceso a esta API.'],
    refused_by_host: ['La propia API rechazó la petición', 'El campo error_description de la respuesta dice por qué.'],
    wrong_secret: [
      'El secreto de cliente es incorrecto',
      'Use el secreto más reciente de la aplicación, completo y sin cambios, o cree uno nuevo.',
    ],
    expired_secret: ['El secreto de cliente{credential} caducó{ago}', NEWEST_SECRET],
    wrong_assertion: [
      'La aserción de cliente no está firmada con ninguna clave de la aplicación',
      'Firme con una clave del conjunto de claves más reciente de la aplicación.',
    ],
    expired_key_set: [
      'El conjunto de claves{credential} caducó{ago}',
      'Firme con una clave del conjunto de claves más reciente de la aplicación.',
    ],
    replayed_assertion: ['La aserción de cliente ya se usó', 'Dé a cada solicitud una aserción con su propio jti.'],
    restricted_secret: [
      'El secreto de cliente{credential} no sirve para esta API',
      'Use un secreto que sirva para esta API.',
    ],
    invalid_scope: [
      'No se puede conceder ninguno de los scopes solicitados',
      'Solicite scopes que esta API tenga y que la aplicación tenga concedidos, u omita `scope`.',
    ],
    invalid_target: [
      'La petición de token nombra el recurso de otra API',
      'Omita `resource` o envíe el identificador de esta API.',
    ],
    invalid_request: ['La petición está mal formada', 'El campo error_description de la respuesta dice qué está mal.'],
    unsupported_grant_type: ['El tipo de concesión no se admite', 'Envíe grant_type=client_credentials.'],
    too_many_requests: [
      'Hubo demasiadas peticiones{seconds}',
      'Envíe menos y espere los segundos de Retry-After antes de la siguiente.',
    ],
    quota_exceeded: [
      'La cuota de la aplicación estaba agotada{seconds}',
      'Espere los segundos de Retry-After, o pida otro plan al proveedor.',
    ],
    cost_above_limit: [
      'La petición cuesta más de lo que un límite del plan de la aplicación permite de una vez',
      'Pida menos en una petición, o pida otro plan al proveedor. Tal como es no se aceptará nunca.',
    ],
    temporarily_unavailable: [
      'El servicio no estaba disponible temporalmente',
      'Inténtelo de nuevo, como pronto tras los segundos de Retry-After.',
    ],
    server_error: [
      'El servidor encontró un error inesperado',
      'Inténtelo de nuevo más tarde. Si se repite, pregunte al proveedor de la API.',
    ],
    unknown: ['La petición fue rechazada', `El campo error_description de la respuesta dice más. ${ASK}`],
  },
}
