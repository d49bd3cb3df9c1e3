/** The platform's appearance in e-mails and on its pages: the option `brand`, with its colour made readable. */
export interface Brand {
  readonly name: string | undefined
  /** A data: URL; shown on pages only, because mail programs show no such images. */
  readonly logo: string | undefined
  /**
   * The colour of links and buttons, on a light and on a dark page: a variant of the option's colour with a contrast of 4.5:1
   * or more.
   */
  readonly accent: { readonly light: string; readonly dark: string }
  /** The address of a page, or a `mailto:` address, where developers get help. */
  readonly supportUrl: string | undefined
}
