/** The option `brand`: how e-mails and pages look. */
export interface BrandOptions {
  /** The platform's name in e-mails, and at the top of pages. In e-mails the host of `baseUrl` if left out. */
  readonly name?: string | undefined
  /** The path of a PNG, JPEG or SVG file, or a data: URL of one; at most 32 KiB. Shown on pages, not in e-mails. */
  readonly logo?: string | undefined
  /**
   * The colour of links and buttons, as `#rrggbb`. Where text in this colour could not be read (a contrast below 4.5:1), a
   * darker or lighter variant is used, with a warning at the start; dark pages have a variant of their own.
   */
  readonly color?: string | undefined
  /** The place where developers get help: an absolute URL, or `mailto:`. */
  readonly supportUrl?: string | undefined
}

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
