import type { ClaimTexts } from './en.js'

export const fr: ClaimTexts = {
  heading: 'Vos identifiants',
  beforehand: 'Vos identifiants ne s’affichent qu’une seule fois. Préparez un endroit sûr où les enregistrer.',
  show: 'Afficher mes identifiants',
  incomplete: 'Le lien est incomplet. Copiez l’adresse entière depuis l’e-mail.',
  refused: 'Le lien a déjà été utilisé, a expiré ou a été remplacé par un e-mail plus récent.',
  limited: 'Il y a eu trop de tentatives. Réessayez dans quelques minutes.',
  failed: 'Les identifiants n’ont pas pu être récupérés. Réessayez.',
  needsScripts: 'Cette page a besoin de JavaScript, qui envoie la partie secrète du lien lorsque vous cliquez.',
  done: 'Voici vos identifiants. Enregistrez-les maintenant.',
  shownOnce: 'Ils ne s’affichent que sur cette page. Un gestionnaire de secrets est, par exemple, un endroit sûr.',
  of: (application) => `Application «\u00A0${application}\u00A0»`,
  key: 'Clé',
  secret: 'Secret',
  expires: 'Expire le',
  expiresNever: 'N’expire pas.',
  applicationId: 'Identifiant de l’application, à envoyer comme client_id',
  keyExpires: (time) => `La clé expire le ${time}`,
  secretExpires: (time) => `Le secret expire le ${time}`,
}
