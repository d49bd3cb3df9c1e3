import type { RegistrationTexts } from './en.js'

/** The words of the registration pages in French, with its spaces before punctuation marks (no-break: \u00A0). */
export const fr: RegistrationTexts = {
  title: 'Enregistrer une application',
  name: 'Nom de votre application',
  contact: 'Adresse e-mail des développeurs',
  language: 'Langue de nos e-mails',
  apis: 'API qu’elle appelle',
  needsApproval: 'Cette API nécessite notre approbation.',
  keySet: 'Clés publiques à la place d’un secret',
  keySetHint:
    'Pour une application qui prouve une clé privée (private_key_jwt, RFC 7523)\u00A0: un JWK Set, une clé publique en PEM ou l’adresse https qui fournit le jeu de clés. Aucun secret n’est alors créé. Ne saisissez jamais de clé privée.',
  needsKeySet: 'Cette API n’accepte que des clés publiques, pas de secret.',
  keySetMissing: 'Saisissez des clés publiques\u00A0: {apis} n’accepte pas de secret.',
  keySetUnused:
    '{apis} n’accepte pas de clés publiques. Enregistrez une application à part pour cette API, ou laissez les clés publiques de côté.',
  scopes: 'Scopes qu’elle obtient\u00A0:',
  optional: '(facultatif)',
  register: 'Enregistrer',
  next: 'La suite',
  sent: 'Nous envoyons la clé et le secret à votre adresse e-mail, avec des commandes pour les essayer.',
  approval:
    'Si vous choisissez une API qui nécessite notre approbation, l’un de nous lit votre demande et décide{within}. L’e-mail arrive ensuite\u00A0; jusque-là, l’application ne peut appeler aucune de ses API.',
  within: { one: ', en général sous un jour ouvré', other: ', en général sous {count} jours ouvrés' },

  notRegistered: 'Votre application n’est pas encore enregistrée.',
  refused: {
    tooManyUntil: 'Trop de demandes. Veuillez réessayer {wait}.',
    access_denied: 'Cette demande n’est pas acceptée.',
    temporarily_unavailable: 'Le service est momentanément indisponible. Veuillez réessayer dans un instant.',
    other: 'Cela n’a pas fonctionné. Veuillez réessayer.',
  },
  nameMissing: 'Saisissez un nom.',
  nameRefused:
    'Saisissez un nom de 100 caractères visibles au plus, avec moins de 7 chiffres de suite et sans rien qui ressemble à une adresse web (example.com, Node.js).',
  contactMissing: 'Saisissez une adresse e-mail.',
  contactRefused: 'Saisissez une seule adresse e-mail, joignable depuis Internet, par exemple dev@example.com.',
  languageUnknown: 'Choisissez l’une de ces langues.',
  apiMissing: 'Choisissez au moins une API.',
  apiUnknown: 'Choisissez uniquement parmi ces API.',

  empty: 'Remplissez «\u00A0{label}\u00A0».',
  unticked: 'Cochez «\u00A0{label}\u00A0».',
  unchosen: 'Choisissez l’une des valeurs de «\u00A0{label}\u00A0».',
  longerThan: 'Saisissez au plus {most} caractères pour «\u00A0{label}\u00A0».',
  unreadable: 'Saisissez pour «\u00A0{label}\u00A0» un texte sans caractères de contrôle ni caractères invisibles.',
  noAddress: 'Saisissez une seule adresse e-mail pour «\u00A0{label}\u00A0», par exemple dev@example.com.',
  noUrl: 'Saisissez pour «\u00A0{label}\u00A0» une adresse web qui commence par https:// ou http://.',
  tooLong: 'Toutes vos réponses ensemble sont trop longues. Raccourcissez-les.',
  choose: 'Choisissez',

  acceptTerms: 'J’accepte les conditions d’utilisation',
  readTerms: 'Les lire\u00A0: version {version} (ouvre un nouvel onglet)',
  termsMissing: 'Acceptez les conditions d’utilisation.',
  termsChanged: 'Les conditions d’utilisation ont changé. Lisez et acceptez les nouvelles.',

  captchaMissing: 'Effectuez la vérification que vous êtes humain.',
  captchaRefused: 'La vérification que vous êtes humain a échoué. Effectuez-la à nouveau.',
  captchaNeedsScripts:
    'La vérification que vous êtes humain nécessite JavaScript. Veuillez l’activer et recharger cette page.',

  thanks: 'Merci',
  received: 'Nous avons reçu votre demande. Nous envoyons les identifiants à {contact}.',
  held: 'Nous avons reçu votre demande. L’un de nous la lit et décide{within}. Après l’approbation, nous envoyons les identifiants à {contact}.',
  givenContact: 'l’adresse e-mail indiquée',
  missingEmail:
    'Si aucun e-mail n’arrive, regardez parmi les indésirables. Si l’adresse est fausse, enregistrez l’application à nouveau.',
  manage: 'Plus tard, gérez l’application avec la même adresse e-mail sur',
}
