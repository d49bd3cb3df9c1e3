import type { MentionedCredential, Phrases } from './phrases.js'

const UNITS = {
  day: ['jour', 'jours'],
  hour: ['heure', 'heures'],
  minute: ['minute', 'minutes'],
  second: ['seconde', 'secondes'],
} as const
const YOUR_NEW = { key: 'Votre nouvelle clé', secret: 'Votre nouveau secret' } as const
const A_NEW = { key: 'une nouvelle clé', secret: 'un nouveau secret' } as const
const YOUR = { key: 'Votre clé', secret: 'Votre secret' } as const
const THE = { key: 'La clé', secret: 'Le secret' } as const

/** The built-in words in French. Before a colon and within quotation marks there are no-break spaces. */
export const fr: Phrases = {
  duration: (count, unit) => `${count} ${UNITS[unit][count === 1 ? 0 : 1]}`,
  date: (date) => new Intl.DateTimeFormat('fr', { dateStyle: 'long', timeZone: 'UTC' }).format(date),

  registration: ({ name, platform, byLink, replacesEarlier, provesKey }) => ({
    subject: `Vos identifiants pour ${platform}`,
    heading: 'Vos identifiants',
    paragraphs: [
      `Votre application «\u00A0${name}\u00A0» est enregistrée sur ${platform}.`,
      replacesEarlier &&
        'Cet e-mail remplace tous les e-mails précédents contenant des identifiants pour cette application.',
      provesKey && NO_SECRET,
      byLink && SHOWN_ONCE,
    ],
    actions: byLink ? ['Afficher mes identifiants'] : [],
    notes: [!byLink && KEEP_SAFE, NOT_REQUESTED],
  }),

  replaced: (kind, { name, platform, credential, byLink, previous, replacesEarlier }) => ({
    subject: `${YOUR_NEW[kind]} pour ${platform}`,
    heading: YOUR_NEW[kind],
    paragraphs: [
      `Il y a ${A_NEW[kind]} pour votre application «\u00A0${name}\u00A0» sur ${platform}.`,
      credential !== undefined && `Son nom est «\u00A0${credential}\u00A0».`,
      replacesEarlier &&
        `Cet e-mail remplace tous les e-mails précédents contenant ${A_NEW[kind]} pour cette application.`,
      previous !== undefined && describePrevious(kind, previous, byLink),
      byLink && SHOWN_ONCE,
    ],
    actions: byLink ? ['Afficher mes identifiants'] : [],
    notes: [!byLink && KEEP_SAFE, NOT_REQUESTED],
  }),

  expiring: ({ name, platform, operator, kind, credential, date, daysLeft, replacement, selfService }) => ({
    subject: `${YOUR[kind]} pour ${platform} expire le ${date}`,
    heading: `${YOUR[kind]} expire ${formatDays(daysLeft)}`,
    paragraphs: [
      `${THE[kind]} «\u00A0${credential}\u00A0» de votre application «\u00A0${name}\u00A0» sur ${platform} expire ${formatDays(daysLeft)}. Passé ce délai, ${kind === 'key' ? 'elle sera refusée' : 'il sera refusé'}.`,
      replacement === undefined
        ? `${selfService ? 'Créez' : `Demandez à l’opérateur de ${operator}`} ${A_NEW[kind]} et utilisez-${kind === 'key' ? 'la' : 'le'} avant cette échéance.`
        : `Il existe déjà ${A_NEW[kind]} encore ${kind === 'key' ? 'inutilisée' : 'inutilisé'}, qui commence par ${replacement}. Utilisez-${kind === 'key' ? 'la' : 'le'} avant cette échéance.`,
    ],
    notes: [
      `Si plus personne n’utilise ${kind === 'key' ? 'cette clé' : 'ce secret'}, vous pouvez ignorer cet e-mail.`,
    ],
  }),

  invitation: ({ name, platform, byContact }) => ({
    subject: `Invitation à une application sur ${platform}`,
    heading: 'Vous avez reçu une invitation',
    paragraphs: [
      byContact
        ? `Un contact de l’application «\u00A0${name}\u00A0» sur ${platform} vous invite à la gérer avec d’autres.`
        : `L’opérateur de ${platform} vous invite à y gérer avec d’autres l’application «\u00A0${name}\u00A0».`,
      'Si vous acceptez, vous pourrez vous y connecter, consulter l’utilisation des API par l’application et gérer ses identifiants. Le lien est valable une seule fois, pendant 7 jours.',
    ],
    actions: ['Accepter l’invitation'],
    notes: ['Si vous ne connaissez pas cette application, ignorez cet e-mail\u00A0: il ne se passera rien.'],
  }),

  signIn: ({ platform, minutes }) => ({
    subject: `Connexion à ${platform}`,
    heading: 'Connexion',
    paragraphs: [
      `Une connexion à ${platform} a été demandée avec votre adresse e-mail. Suivez le lien, ou saisissez le code sur la page où vous l’avez demandé.`,
      `Tous deux sont valables une seule fois, pendant ${minutes} minutes.`,
    ],
    actions: ['Se connecter'],
    notes: [
      'Si vous n’êtes pas à l’origine de cette demande, ignorez cet e-mail et ne communiquez le code à personne\u00A0: quiconque le possède peut se connecter.',
    ],
  }),

  approvalRequest: ({ name, platform, access }) => ({
    subject: access
      ? `Une demande d’API sur ${platform} attend votre décision`
      : `Un enregistrement sur ${platform} attend votre décision`,
    heading: access ? 'Une application demande une API' : 'Une application demande à être enregistrée',
    paragraphs: [
      access
        ? `L’application «\u00A0${name}\u00A0» demande un accès supplémentaire aux API de ${platform}.`
        : `L’application «\u00A0${name}\u00A0» a été enregistrée sur ${platform}. Elle recevra ses identifiants dès que vous l’aurez approuvée.`,
      'Les deux liens ouvrent une page où vous confirmez votre décision. Ils sont valables 14 jours, tant que personne n’a décidé.',
    ],
    actions: ['Approuver', 'Refuser'],
    notes: ['Ces liens vous sont personnels\u00A0: quiconque possède cet e-mail peut décider en votre nom.'],
  }),

  approved: ({ name, platform, apis, tokens }) => ({
    subject: `Votre demande sur ${platform} est approuvée`,
    heading: 'Votre demande est approuvée',
    paragraphs: [
      `Votre application «\u00A0${name}\u00A0» sur ${platform} peut désormais utiliser ${apis}.`,
      'Elle utilise pour cela ses identifiants actuels.',
      tokens && 'Les jetons d’accès déjà émis ne comprennent pas ce nouvel accès\u00A0; demandez-en un nouveau.',
    ],
  }),

  denied: ({ name, platform, api, reason }) => ({
    subject:
      api === undefined
        ? `Votre enregistrement sur ${platform} n’a pas été approuvé`
        : `Votre demande sur ${platform} n’a pas été approuvée`,
    heading: api === undefined ? 'Votre enregistrement n’a pas été approuvé' : 'Votre demande n’a pas été approuvée',
    paragraphs: [
      api === undefined
        ? `L’opérateur de ${platform} n’a pas approuvé l’enregistrement de votre application «\u00A0${name}\u00A0». Les informations que vous aviez saisies ont été supprimées.`
        : `L’opérateur de ${platform} n’a pas approuvé la demande de votre application «\u00A0${name}\u00A0» concernant ${api}. Ses accès actuels ne changent pas.`,
      reason !== undefined && `Motif\u00A0: ${reason}`,
    ],
  }),

  suspended: ({ name, platform, reason }) => ({
    subject: `Votre application sur ${platform} est suspendue`,
    heading: 'Votre application est suspendue',
    paragraphs: [
      `L’opérateur de ${platform} a suspendu votre application «\u00A0${name}\u00A0». Ses identifiants et ses jetons d’accès sont refusés jusqu’à son rétablissement\u00A0; ils fonctionneront alors de nouveau.`,
      reason !== undefined && `Motif\u00A0: ${reason}`,
    ],
  }),

  quota: ({ name, platform, percent, limit, per, soft, date }) => ({
    subject:
      percent === 100
        ? `Votre quota sur ${platform} est épuisé`
        : `${percent}\u00A0% de votre quota sur ${platform} sont utilisés`,
    heading: percent === 100 ? 'Votre quota est épuisé' : `${percent}\u00A0% de votre quota sont utilisés`,
    paragraphs: [
      `Sur ${platform}, votre application «\u00A0${name}\u00A0» a utilisé ${percent}\u00A0% des ${limit} requêtes dont elle dispose par ${per === 'day' ? 'jour' : 'mois'} (UTC).`,
      soft
        ? 'Les requêtes suivantes reçoivent tout de même une réponse.'
        : `${percent === 100 ? 'Les' : 'Après la dernière, les'} requêtes suivantes sont refusées jusqu’au ${date}.`,
    ],
  }),

  changes: ({ name, platform, operator, recipientIs, isAgain, listed, more }) => ({
    ...{
      contact: {
        subject: `Modifications de votre application sur ${platform}`,
        heading: 'Votre application a été modifiée',
      },
      removed: {
        subject: `Vous n’êtes plus contact d’une application sur ${platform}`,
        heading: 'Vous n’êtes plus contact',
      },
      deleted: {
        subject: `Votre application sur ${platform} a été supprimée`,
        heading: 'Votre application a été supprimée',
      },
    }[recipientIs],
    paragraphs: [
      {
        contact: `L’application «\u00A0${name}\u00A0» sur ${platform} a été modifiée comme suit.`,
        removed: `Vous avez été retiré des contacts de l’application «\u00A0${name}\u00A0» sur ${platform} et ne pouvez plus y consulter ni modifier cette application.`,
        deleted: `Un contact a supprimé l’application «\u00A0${name}\u00A0» sur ${platform}. Ses identifiants ne fonctionnent plus.`,
      }[recipientIs],
      isAgain && 'Vous avez été retiré, puis ajouté de nouveau\u00A0: vous êtes maintenant un contact.',
      more > 0 && `Il y a eu ${listed + more} modifications, dont ${listed} figurent ici.`,
    ],
    notes: [`Si vous ne vous y attendiez pas, prévenez l’opérateur de ${operator}.`],
  }),
  describeChange: ({ type, by, address, credential, isRecipient }) => {
    const who = by === undefined ? 'L’opérateur' : 'Un contact'
    const { kind = 'key', name = '', formerName } = credential ?? {}
    const noun = { key: 'la clé', secret: 'le secret', keySet: 'les clés publiques' }[kind]
    const what = `${noun} «\u00A0${name}\u00A0»`
    const former = `${noun} «\u00A0${formerName}\u00A0»`
    return {
      contactRemoved:
        by === address ? 'Un contact est parti' : `${who} ${isRecipient ? 'vous a retiré' : 'a retiré un contact'}`,
      contactAdded: by === address ? 'Une personne invitée est devenue contact' : `${who} a ajouté un contact`,
      contactInvited: `${who} a invité une personne`,
      credentialAdded: `${who} a ajouté ${what}`,
      credentialRotated: `${who} a remplacé ${what} par ${A_NEW[kind === 'key' ? 'key' : 'secret']}`,
      credentialUpdated:
        formerName === undefined
          ? `${who} a modifié la date d’expiration\u00A0: ${what}`
          : `${who} a renommé ${former} en «\u00A0${name}\u00A0»`,
      credentialEnded: `${who} a révoqué ${what}`,
      keySetChanged: `${who} a remplacé ${what}, ou les a fait relire`,
      tokensRevoked: `${who} a révoqué tous les jetons d’accès`,
      networksChanged: `${who} a modifié les réseaux depuis lesquels l’application peut appeler`,
      deleted: `${who} a supprimé l’application`,
    }[type]
  },

  labels: {
    key: (uses) => `Clé (${uses})`,
    secret: 'Secret (client_secret)',
    publicKeys: 'Clés publiques',
    withLibrary: 'La même chose avec openid-client, qui crée l’assertion ($CLIENT_ASSERTION)',
    publicId: 'Peut servir de client_id à la place de la clé\u00A0; il n’est pas secret',
    applicationId: 'Identifiant de l’application',
    contact: 'Contact',
    requested: 'Demande',
    address: 'Depuis l’adresse',
    expiresAt: 'Expire le',
    keyExpiresAt: 'La clé expire le',
    secretExpiresAt: 'Le secret expire le',
    firstCharacters: (kind) => (kind === 'key' ? 'Premiers caractères de la clé' : 'Premiers caractères du secret'),
    code: 'Code',
    tokenAddress: 'Adresse des jetons d’accès',
    getToken: 'Obtenir un jeton d’accès',
    useToken: 'Appeler l’API avec ce jeton (ajoutez le chemin d’une ressource)',
    keyHeader: 'Envoyez votre clé dans l’en-tête',
    keyScopes: 'Droits (scopes) de votre clé',
    useKey: 'Appeler l’API (ajoutez le chemin d’une ressource)',
    languages: 'La même chose en JavaScript, Python, Go, PHP, Java et C#',
    documentation: 'Lire la documentation',
    manage: 'Gérer l’application',
    support: 'Aide',
  },
}

const NO_SECRET =
  'Il n’y a pas de secret\u00A0: votre application obtient des jetons d’accès en prouvant sa clé privée, avec une assertion qu’elle signe pour chaque requête.'
const SHOWN_ONCE = 'Le lien affiche vos identifiants une seule fois. Il est valable 72 heures.'
const KEEP_SAFE =
  'Conservez ces identifiants là où seule votre application peut les lire. Ils ne sont pas enregistrés ici et ne pourront pas être affichés à nouveau.'
const NOT_REQUESTED = 'Si vous n’êtes pas à l’origine de cette demande, vous pouvez ignorer cet e-mail.'

function describePrevious(
  kind: 'key' | 'secret',
  { worksFor }: NonNullable<MentionedCredential['previous']>,
  byLink: boolean,
): string {
  const [subject, shown] =
    kind === 'key' ? ['La clé précédente', 'de la nouvelle clé'] : ['Le secret précédent', 'du nouveau secret']
  if (worksFor !== undefined) {
    return `${subject} reste valable ${worksFor}${byLink ? ` après l’affichage ${shown}` : ''}.`
  }
  return byLink ? `${subject} cessera de fonctionner dès l’affichage ${shown}.` : `${subject} ne fonctionne plus.`
}

function formatDays(days: number): string {
  if (days === 0) return 'dans moins d’un jour'
  return days === 1 ? 'dans un jour' : `dans ${days} jours`
}
