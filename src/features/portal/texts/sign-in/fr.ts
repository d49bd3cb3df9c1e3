import type { SignInTexts } from './en.js'

/** The words of the sign-in, and of all pages that are not of one application, in French, with its no-break spaces. */
export const fr: SignInTexts = {
  signOut: 'Se déconnecter',
  address: 'Adresse e-mail',
  addressMissing: 'Saisissez une adresse e-mail.',
  addressRefused: 'Saisissez une seule adresse e-mail, par exemple dev@example.com.',

  signIn: 'Se connecter',
  askForLink:
    'Saisissez une adresse e-mail qui est un contact de vos applications, par exemple celle à laquelle leurs identifiants ont été envoyés. Nous y envoyons un lien et un code.',
  sendEmail: 'Envoyer l’e-mail',
  checkEmail: 'Consultez vos e-mails',
  sent: 'Si {contact} est un contact d’une application, nous y envoyons maintenant un lien et un code. Tous deux sont valables 15 minutes. Ouvrez le lien, ou saisissez le code ici.',
  code: 'Code reçu par e-mail',
  codeHint: '8 lettres, par exemple BCDF-GHJK',
  noEmail:
    'Pas d’e-mail\u00A0? Regardez parmi les indésirables, ou {link}. Une adresse reçoit au plus 5 e-mails par heure.',
  otherAddress: 'essayez une autre adresse',
  linkIsValidOnce: 'Le lien de votre e-mail est valable une seule fois.',
  linkIncomplete: 'Le lien n’est pas complet. Copiez l’adresse entière depuis l’e-mail.',
  linkNeedsScripts:
    'Ce lien nécessite JavaScript. Sans JavaScript, saisissez le code de l’e-mail sur la page où vous l’avez demandé.',
  newLink: 'Demander un nouveau lien',
  codeRefused:
    'Le code est incorrect, a déjà servi ou a expiré. Après 5 tentatives, ouvrez le lien de l’e-mail ou demandez-en un nouveau.',
  linkRefused: 'Le lien a déjà servi ou a expiré. Demandez-en un nouveau.',
  signedOut: 'Vous avez été déconnecté, ou la page est ouverte depuis trop longtemps. Connectez-vous.',

  invitation: 'Accepter une invitation',
  invitationMeans:
    'Vous devenez un contact de l’application\u00A0: vous pouvez gérer ses identifiants, et les autres voient votre adresse e-mail.',
  accept: 'Accepter',
  pastedLink: 'Lien de l’e-mail',
  pastedHint: 'Ce navigateur n’exécute pas de scripts. Copiez le lien entier et collez-le ici.',
  invitationRefused:
    'Le lien n’est pas complet, ou l’invitation a déjà été acceptée, a été annulée ou a expiré. Copiez le lien entier depuis l’e-mail, ou demandez-en un nouveau à un contact de l’application.',
  accepted: 'Vous êtes maintenant un contact',
  acceptedBy:
    '{contact} est maintenant un contact de l’application {application}. Connectez-vous avec cette adresse pour la gérer.',

  notFound: 'Page introuvable',
  noPage: 'Cette page n’existe pas, ou n’appartient à aucune de {link}.',
  yourApplications: 'vos applications',
  outOfDate: 'Cette page n’est plus à jour',
  loadAgain: 'Rechargez la page et recommencez.',
  failed: 'Cela n’a pas fonctionné',
  refused: {
    tooManyUntil: 'Il y a eu trop de demandes. Réessayez {wait}.',
    too_many_requests: 'Il y a eu trop de demandes. Réessayez plus tard.',
    temporarily_unavailable: 'Le service est momentanément indisponible. Réessayez dans un instant.',
    server_error: 'Le serveur a rencontré une erreur inattendue. Réessayez plus tard.',
    access_denied: 'Le formulaire venait d’un autre site et n’a pas été accepté.',
    other: 'La demande n’a pas été acceptée. Rechargez la page et réessayez.',
  },
}
