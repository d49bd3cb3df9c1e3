import type { RefusalTexts } from './en.js'

const ASK = 'Demandez au fournisseur de l’API.'
const NEWEST_KEY = 'Utilisez la clé la plus récente de l’application, ou créez-en une nouvelle.'
const NEWEST_SECRET = 'Utilisez le secret le plus récent de l’application, ou créez-en un nouveau.'
const ANOTHER_METHOD = 'Utilisez une méthode que l’API possède à cette adresse.'

/** The words of refusals in French, with its no-break spaces. */
export const fr: RefusalTexts = {
  justNow: 'à l’instant',
  quote: '«\u00A0{text}\u00A0»',
  seconds: '{count} secondes',
  reasons: {
    expired_token: [
      'Le jeton d’accès a expiré{ago}',
      'Demandez un nouveau jeton d’accès. Son expires_in indique combien de secondes il est valable.',
    ],
    token_of_another_api: [
      'Le jeton d’accès a été émis pour une autre API{api}',
      'Demandez un jeton d’accès au point d’accès des jetons de cette API.',
    ],
    revoked_token: ['Le jeton d’accès a été révoqué', 'Demandez un nouveau jeton d’accès.'],
    insufficient_scope: [
      'Il manque au jeton d’accès un scope dont la requête a besoin{scopes}',
      'Demandez un jeton d’accès sans `scope`, ou avec ce scope. Si l’application ne l’a pas, demandez l’accès.',
    ],
    method_not_allowed: ['Aucun jeton d’accès ne permet cette méthode ici', ANOTHER_METHOD],
    insufficient_scope_of_key: [
      'Il manque à la clé d’API un scope dont la requête a besoin{scopes}',
      'Utilisez une clé qui a ce scope. Si l’application ne l’a pas, demandez l’accès.',
    ],
    method_not_allowed_of_key: ['Aucune clé d’API ne permet cette méthode ici', ANOTHER_METHOD],
    expired_key: ['La clé d’API{credential} a expiré{ago}', NEWEST_KEY],
    restricted_key: [
      'La clé d’API{credential} ne peut pas servir pour cette API',
      'Utilisez une clé qui peut servir pour cette API.',
    ],
    network_not_allowed: [
      'La requête venait d’un réseau depuis lequel l’identifiant ne peut pas être utilisé{address}',
      'Appelez depuis un réseau de la liste, ou demandez que la liste soit modifiée.',
    ],
    suspended: ['L’application est suspendue', ASK],
    not_allowed: ['L’application n’a pas accès à cette API', 'Demandez l’accès à cette API.'],
    refused_by_host: ['L’API elle-même a refusé la requête', 'Le champ error_description de la réponse dit pourquoi.'],
    wrong_secret: [
      'Le secret client est incorrect',
      'Utilisez le secret le plus récent de l’application, complet et inchangé, ou créez-en un nouveau.',
    ],
    expired_secret: ['Le secret client{credential} a expiré{ago}', NEWEST_SECRET],
    wrong_assertion: [
      'L’assertion client n’est signée par aucune clé de l’application',
      'Signez avec une clé du jeu de clés le plus récent de l’application.',
    ],
    expired_key_set: [
      'Le jeu de clés{credential} a expiré{ago}',
      'Signez avec une clé du jeu de clés le plus récent de l’application.',
    ],
    replayed_assertion: [
      'L’assertion client a déjà servi',
      'Donnez à chaque requête une assertion avec son propre jti.',
    ],
    restricted_secret: [
      'Le secret client{credential} ne peut pas servir pour cette API',
      'Utilisez un secret qui peut servir pour cette API.',
    ],
    invalid_scope: [
      'Aucun des scopes demandés ne peut être accordé',
      'Demandez des scopes que cette API possède et qui sont accordés à l’application, ou omettez `scope`.',
    ],
    invalid_target: [
      'La demande de jeton désigne la ressource d’une autre API',
      'Omettez `resource`, ou envoyez l’identifiant de cette API.',
    ],
    invalid_request: ['La requête est mal formée', 'Le champ error_description de la réponse dit ce qui ne va pas.'],
    unsupported_grant_type: [
      'Le type d’autorisation n’est pas pris en charge',
      'Envoyez grant_type=client_credentials.',
    ],
    too_many_requests: [
      'Il y a eu trop de requêtes{seconds}',
      'Envoyez-en moins, et attendez les secondes de Retry-After avant la suivante.',
    ],
    quota_exceeded: [
      'Le quota de l’application était épuisé{seconds}',
      'Attendez les secondes de Retry-After, ou demandez une autre formule au fournisseur.',
    ],
    cost_above_limit: [
      'La requête coûte plus que ce qu’une limite de la formule de l’application autorise en une fois',
      'Demandez moins en une requête, ou demandez une autre formule au fournisseur. Telle quelle, elle n’est jamais acceptée.',
    ],
    temporarily_unavailable: [
      'Le service était momentanément indisponible',
      'Réessayez, au plus tôt après les secondes de Retry-After.',
    ],
    server_error: [
      'Le serveur a rencontré une erreur inattendue',
      'Réessayez plus tard. Si cela se reproduit, adressez-vous au fournisseur de l’API.',
    ],
    unknown: ['La requête a été refusée', `Le champ error_description de la réponse en dit plus. ${ASK}`],
  },
}
