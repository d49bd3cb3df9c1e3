import { html } from '../../../shared/web/html.js'
import type { PortalTexts } from './en.js'
import { fr as signIn } from './sign-in/fr.js'

/** The words of the portal in French, with its no-break spaces. */
export const fr: PortalTexts = {
  language: 'fr',
  ...signIn,

  justNow: 'à l’instant',
  soon: 'dans moins d’une minute',
  created: (date) => html`Création : ${date}`,
  lastUsed: (time) => html`Dernière utilisation : ${time}`,
  neverUsed: 'Aucune utilisation',
  back: 'Retour',

  noPageOf: (name) =>
    `Cette page de ${name} n’existe pas. L’identifiant, le contact ou l’invitation a peut-être été remplacé ou retiré.`,
  unchanged: 'Rien n’a été modifié',
  unchangedBecause:
    'Le formulaire a été envoyé deux fois, ou l’application a été modifiée depuis son affichage\u00A0: par vous, un autre contact ou nous. Si une nouvelle clé ou un nouveau secret vous a été affiché, sa valeur est valable\u00A0; si vous ne l’avez pas conservée, créez-en une autre.',
  showApplication: 'Afficher l’application',

  statuses: { pending: 'En attente', active: 'Active', suspended: 'Suspendue', deleted: 'Supprimée' },
  isPending:
    'Cette application n’est pas encore active\u00A0: elle attend notre approbation, ou l’arrivée de l’e-mail avec ses premiers identifiants.',
  isSuspended:
    'Cette application est suspendue\u00A0: tous ses appels sont refusés. Vous pouvez encore révoquer ses identifiants et ses jetons d’accès. Veuillez nous contacter.',
  noApplication: 'Aucune application n’a votre adresse.',
  register: 'Enregistrer une application',
  noApiYet: 'Pas encore d’API',
  expireSoon: (count) => (count === 1 ? 'Un identifiant expire bientôt' : `${count} identifiants expirent bientôt`),
  application: (link) => html`Application ${link}`,
  applicationId: 'Identifiant de l’application',
  parts: 'Parties de cette page',
  notices: {
    deleted: 'L’application a été supprimée.',
    left: 'Vous n’êtes plus un contact de l’application.',
    renamed: 'Le nouveau nom est enregistré.',
    keySetSaved: 'Les clés publiques sont enregistrées.',
    keySetReloaded: 'L’adresse sera relue pour la prochaine requête.',
    ended: 'L’identifiant est révoqué. Les appels qui l’utilisent sont refusés.',
    revoked: 'Tous les jetons d’accès émis jusqu’ici sont refusés.',
    accepted: 'Les conditions d’utilisation sont acceptées.',
    granted: 'L’application peut maintenant utiliser l’API.',
    requested: 'Votre demande a été envoyée. Nous vous communiquerons la décision par e-mail.',
    invited: 'L’invitation a été envoyée. Son lien est valable 7 jours.',
    cancelled: 'L’invitation est annulée. Son lien ne fonctionne plus.',
    removed: 'Le contact a été retiré.',
    networks: 'Les réseaux ont été modifiés.',
  },

  apis: 'API',
  apisAbout: 'Ce que cette application peut appeler.',
  noApi: 'Cette application ne peut appeler aucune API.',
  granted: 'Accordé',
  waiting: 'En attente d’approbation',
  request: 'Demander l’accès',
  requestMore: 'Demander plus',
  toApi: (title) => `(${title})`,
  requested: (time) => html`Demande envoyée : ${time}`,
  requestApi: (title) => `Demander ${title}`,
  needsApproval: 'Cette API nécessite notre approbation. Nous vous communiquerons la décision par e-mail.',
  needsApprovalNow:
    'Nous avons retiré cet accès auparavant\u00A0; il nécessite donc maintenant notre approbation. Nous vous communiquerons la décision par e-mail.',
  grantedAtOnce: 'Votre application peut l’utiliser immédiatement.',
  scopes: 'Scopes',
  noScope: 'Choisissez au moins un scope.',

  credentials: 'Identifiants',
  credentialsAbout:
    'Ce avec quoi cette application s’identifie. Seuls les premiers caractères sont affichés\u00A0: le reste n’est pas enregistré.',
  noCredential: 'Il n’y a aucun identifiant.',
  kinds: { key: 'Clé', secret: 'Secret' },
  ofCredential: (kind, name, isReplaced) =>
    `(${kind === 'key' ? `clé ${isReplaced ? 'remplacée ' : ''}` : `secret ${isReplaced ? 'remplacé ' : ''}`}${name})`,
  onlyFor: (apis) => `Seulement pour ${apis}`,
  onlyFrom: (networks) => `Seulement depuis ${networks}`,
  doesNotExpire: 'N’expire pas',
  replacedUntil: (kind, date) => html`${kind === 'key' ? 'Remplacée' : 'Remplacé'} : fonctionne jusqu&rsquo;au ${date}`,
  expires: (time) => html`Expiration : ${time}`,
  name: 'Nom',
  keySets: {
    kind: 'Clés publiques',
    add: 'Ajouter des clés publiques',
    addAbout:
      'Avec elles, une application prouve une clé privée au lieu d’un secret, là où une API l’accepte (private_key_jwt, RFC 7523). Elles fonctionnent à côté des secrets existants.',
    uniqueName: 'Aucun autre secret ni aucun autre jeu de clés ne porte ce nom.',
    keys: 'Clés publiques',
    keysHint:
      'Un JWK Set de 1 à 10 clés, une clé publique en PEM ou l’adresse https qui fournit le jeu\u00A0: vous pourrez alors changer vos clés sans nous. Ne saisissez jamais de clé privée.',
    keysRefused:
      'Saisissez un JWK Set de clés publiques, une clé publique en PEM ou une adresse qui commence par https://.',
    rename: 'Renommer les clés publiques',
    replace: 'Remplacer les clés publiques',
    replaceAbout:
      'Dès la prochaine requête, seules les nouvelles comptent. Laissez-y les anciennes jusqu’à ce que vos services signent avec les nouvelles.',
    reload: 'Relire l’adresse',
    reloadAbout:
      'Nous la lisons pour la prochaine requête, quoi qu’elle dise de la mise en cache. Les clés qui n’y sont plus ne comptent plus.',
    end: 'Révoquer les clés publiques',
    endAbout: 'Dès la prochaine requête, ce qui est signé avec elles est refusé. Cette action est définitive.',
    isOnly:
      'Cette application n’a pas d’autres clés publiques ni de secret. Ce qui signe avec elles cessera de fonctionner.',
  },
  uniqueName: { key: 'Aucune autre clé ne porte ce nom.', secret: 'Aucun autre secret ne porte ce nom.' },
  add: { key: 'Ajouter une clé', secret: 'Ajouter un secret' },
  addIt: { key: 'Ajouter la clé', secret: 'Ajouter le secret' },
  addAbout: {
    key: 'La nouvelle clé fonctionne à côté de celles qui existent.',
    secret: 'Le nouveau secret fonctionne à côté de ceux qui existent, avec chaque clé.',
  },
  oneForEach:
    'Donnez à chacun de vos services le sien\u00A0: vous pourrez alors en remplacer un sans toucher aux autres.',
  nameHint: 'Son usage, par exemple «\u00A0entrepôt\u00A0» ou «\u00A0préproduction\u00A0».',
  expiry: 'Expiration',
  lifetimes: { 0: 'jamais', 30: 'dans 30 jours', 90: 'dans 90 jours', 365: 'dans un an' },
  inDays: (days) => (days === 1 ? 'dans un jour' : `dans ${days} jours`),
  onDate: (date) => `le ${date}`,
  atTheMost: (end) => `${end} (au plus tard)`,
  hasPassed: (date) => `le ${date}, déjà passé`,
  rename: 'Renommer',
  renameIt: { key: 'Renommer une clé', secret: 'Renommer un secret' },
  rotate: 'Remplacer',
  rotateIt: { key: 'Remplacer une clé', secret: 'Remplacer un secret' },
  makeNew: { key: 'Créer une nouvelle clé', secret: 'Créer un nouveau secret' },
  rotateAbout: {
    key: 'Vous recevez une nouvelle clé immédiatement. Seule la page suivante l’affiche\u00A0: soyez prêt à la conserver.',
    secret:
      'Vous recevez un nouveau secret immédiatement. Seule la page suivante l’affiche\u00A0: soyez prêt à le conserver.',
  },
  formerEnds: (kind, date) =>
    kind === 'key'
      ? html`La clé précédente, qui fonctionne jusqu&rsquo;au ${date}, est révoquée immédiatement.`
      : html`Le secret précédent, qui fonctionne jusqu&rsquo;au ${date}, est révoqué immédiatement.`,
  inUse: { key: 'La clé actuelle', secret: 'Le secret actuel' },
  overlaps: {
    0: 'cesse de fonctionner immédiatement',
    3600: 'fonctionne encore une heure',
    86400: 'fonctionne encore un jour',
    604800: 'fonctionne encore 7 jours',
  },
  end: 'Révoquer',
  endOne: { key: 'Révoquer une clé', secret: 'Révoquer un secret' },
  endIt: { key: 'Révoquer la clé', secret: 'Révoquer le secret' },
  endAbout: {
    key: 'Dès la prochaine requête, elle est refusée. Cette action est définitive.',
    secret: 'Dès la prochaine requête, il est refusé. Cette action est définitive.',
  },
  isOnly: {
    key: 'C’est la seule clé de cette application. Ce qui l’utilise cessera de fonctionner.',
    secret: 'C’est le seul secret de cette application. Ce qui l’utilise cessera de fonctionner.',
  },
  alsoRevoke: 'Refuser aussi tous les jetons d’accès émis jusqu’ici',
  revoke: 'Révoquer tous les jetons d’accès',
  revokeThem: 'Révoquer',
  revokeAbout: (name) =>
    `Tous les jetons d’accès émis jusqu’ici pour ${name} sont refusés dès la prochaine requête. Les clés et les secrets ne changent pas.`,
  revokeGoesOn: 'Vos services reprennent dès qu’ils ont demandé un nouveau jeton d’accès.',

  issued: { key: 'Votre nouvelle clé', secret: 'Votre nouveau secret' },
  shownOnce: {
    key: 'Seule cette page l’affiche. Conservez-la en lieu sûr, par exemple dans un gestionnaire de secrets.',
    secret: 'Seule cette page l’affiche. Conservez-le en lieu sûr, par exemple dans un gestionnaire de secrets.',
  },
  sendAsClientId: 'Identifiant de l’application, à envoyer comme client_id',
  value: (kind, name) => `${kind === 'key' ? 'Clé' : 'Secret'} «\u00A0${name}\u00A0»`,
  expiresOn: (kind, date) => html`${kind === 'key' ? 'Elle' : 'Il'} expire le ${date}.`,
  itDoesNotExpire: { key: 'Elle n’expire pas.', secret: 'Il n’expire pas.' },
  fileExpiresOn: (date) => `Expire le ${date}`,
  stored: { key: 'Je l’ai conservée', secret: 'Je l’ai conservé' },

  ownLimit: (limit, seconds) =>
    `Au plus ${limit.toLocaleString('fr')} ${limit === 1 ? 'requête' : 'requêtes'} en ${seconds} ${seconds === 1 ? 'seconde' : 'secondes'}`,
  until: (date) => html`jusqu&rsquo;au ${date}`,

  networks: 'Réseaux',
  networksAbout: 'D’où cette application peut appeler. Les appels venant d’ailleurs sont refusés.',
  anyNetwork: 'Depuis n’importe quel réseau.',
  changeNetworks: 'Modifier les réseaux',
  saveNetworks: 'Enregistrer les réseaux',
  networksHint: (examples) => `Un réseau ou une adresse par ligne, par exemple ${examples}.`,
  networksEmpty: 'Laissez vide pour n’importe quel réseau.',
  networksWithin: (networks) =>
    `Nous autorisons cette application à appeler depuis : ${networks}. Votre liste ne peut contenir que moins.`,
  yourAddress: (address) => html`Votre propre adresse est ${address}.`,
  networkRefused: (text) =>
    `« ${text} » n’est pas un réseau. Indiquez sa première adresse et ses bits, par exemple 203.0.113.0/24.`,
  networksRefused: 'La liste contient trop de réseaux, ou plus que nous n’autorisons.',
  shutsYouOut: (address) =>
    `La liste ne contient pas votre propre adresse, ${address} : les appels depuis votre réseau seraient refusés.`,
  saveAnyway: 'Enregistrer quand même',

  plan: 'Formule',
  planAbout:
    'Ce que vos requêtes consomment, compté par jour et par mois en UTC. Les dernières secondes peuvent manquer.',
  today: 'Aujourd’hui',
  thisMonth: 'Ce mois-ci',
  callsOfMonth: 'Appels en 30 jours',
  refusedOfMonth: 'Refusés en 30 jours',
  quotaLeft: 'Quota restant',
  noQuota: 'Aucun quota',
  endsNext: 'Prochaine fin',
  nothingEnds: 'Rien',
  nameOfList: 'Application',
  lastUse: 'Dernière utilisation',
  left: 'Reste',
  quotaEnds: 'Jusqu’au',
  quotaReached: 'Le quota est épuisé\u00A0: les requêtes sont refusées jusque-là.',
  softQuotaReached: 'Le quota est épuisé. Les requêtes suivantes reçoivent tout de même une réponse.',
  usage: 'Utilisation',
  usageAbout: (days) =>
    `Requêtes des ${days} derniers jours, comptées par jour en UTC. Celles de la dernière minute peuvent manquer, même si un refus figure déjà dans la liste.`,
  nothingCounted: 'Rien à compter pour l’instant.',
  allowed: 'Acceptées',
  refusedCount: 'Refusées',
  tokensIssued: 'Jetons d’accès émis',
  tokens: 'Jetons d’accès',
  refusedWith: 'Refus\u00A0:',
  day: 'Jour',
  countsOfDay: (date, allowed, refused) => `${date}\u00A0: ${allowed} acceptées, ${refused} refusées`,
  table: 'Tableau',
  ofApi: (title) => `(${title})`,
  refusals: 'Refus',
  refusalsAbout: 'Les dernières requêtes refusées sur 7 jours, et comment corriger l’erreur.',
  noRefusal: 'Aucune requête n’a été refusée.',
  times: (count, time) => html`${count} fois, dernière fois ${time}`,
  from: (address) => `depuis ${address}`,
  requestId: (id) => html`requête ${id}`,

  colleagues: 'Contacts',
  colleaguesAbout: 'Qui peut voir et modifier cette application. Le premier contact reçoit ses e-mails.',
  you: 'Vous',
  getsEmails: 'Reçoit les e-mails',
  isInvited: 'Invitation envoyée',
  invitationEnds: (time) => html`Fin de l&rsquo;invitation : ${time}`,
  cancel: 'Annuler',
  invitationOf: (address) => `(invitation de ${address})`,
  addressOfColleague: 'Adresse e-mail d’un autre contact',
  invite: 'Inviter',
  inviteOne: 'Inviter un contact',
  inviteAbout:
    'La personne qui suit le lien de l’e-mail peut voir et modifier cette application comme vous. Le lien est valable 7 jours.',
  remove: 'Retirer',
  removeOne: 'Retirer un contact',
  leave: 'Quitter',
  leaveIt: (name) => `Quitter ${name}`,
  thisApplication: 'cette application',
  removeAbout: (address) =>
    html`${address} ne pourra plus voir ni modifier cette application, et sera déconnecté si c&rsquo;est la seule.`,
  keepWorking: (isMe) =>
    `Les identifiants que ${isMe ? 'vous connaissez' : 'cette personne connaît'} continuent de fonctionner. Remplacez-les s’il ne le faut pas.`,
  cancelOne: 'Annuler une invitation',
  cancelIt: 'Annuler l’invitation',
  cancelAbout: (address) => html`Le lien envoyé à ${address} ne fonctionnera plus.`,

  terms: 'Conditions d’utilisation',
  termsAsked: 'Nous vous demandons d’accepter nos conditions d’utilisation.',
  readTerms: (version) => `Les lire\u00A0: version ${version} (ouvre un nouvel onglet)`,
  acceptTerms: 'Accepter les conditions d’utilisation',
  termsChanged: 'Les conditions d’utilisation ont encore changé. Lisez et acceptez les nouvelles.',

  deletion: 'Suppression',
  deletionMeans:
    'Tous les identifiants et jetons d’accès sont refusés dès la prochaine requête. Cette action est définitive.',
  deleteIt: 'Supprimer cette application',
  deleteName: (name) => `Supprimer ${name}`,
  deleteAbout:
    'Ses identifiants et ses jetons d’accès sont refusés dès la prochaine requête, pour tout le monde. Son nom, ses contacts et ses identifiants sont effacés. Cette action est définitive.',
  confirmName: (name) => html`Pour confirmer, saisissez le nom de l&rsquo;application : ${name}`,
  otherName: 'Ce n’est pas le nom de l’application.',

  nameMissing: 'Saisissez un nom.',
  nameRefused: (most) =>
    `Un nom a de 1 à ${most} caractères visibles, sans caractères de contrôle ni caractères invisibles.`,
  nameIsLink: 'Un nom ne contient rien qui ressemble à une adresse web ou e-mail, ni 7 chiffres de suite.',
  nameTaken: 'Ce nom est déjà utilisé. Choisissez-en un autre.',
  chooseValue: 'Choisissez l’une des valeurs de la liste.',
  operatorEnded: {
    key: 'L’opérateur a révoqué les clés de cette application. Demandez-lui une nouvelle clé.',
    secret: 'L’opérateur a révoqué les secrets de cette application. Demandez-lui un nouveau secret.',
  },
  isContact: 'Cette adresse est déjà un contact.',
  invitedBefore: (wait) =>
    `Cette adresse a été invitée il y a moins d’une heure. Demandez à cette personne de chercher cet e-mail, ou réessayez ${wait}.`,
  tooManyCredentials: 'La limite de 20 est atteinte. Révoquez d’abord un identifiant.',
  tooManyContacts: 'Il y a déjà 10 contacts et invitations\u00A0; il ne peut pas y en avoir plus.',
  busy: 'D’autres modifications sont en cours. Réessayez.',
  wrongState: 'L’état de l’application ne le permet pas.',
  impossible: 'Ce n’est pas possible. Vérifiez votre saisie.',
}
