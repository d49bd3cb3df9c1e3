// @ts-check

/**
 * The products in a new database. Prices are invented.
 * @type {readonly import('./catalog.js').Product[]}
 */
export const PRODUCTS = [
  product('TEA-ASSAM-250', 'tea', 'Assam Second Flush, 250 g', 1190, 'Malty and dark; takes milk well.'),
  product('TEA-DARJEELING-100', 'tea', 'Darjeeling First Flush, 100 g', 1490, 'Light and flowery, picked in March.'),
  product('TEA-CEYLON-250', 'tea', 'Ceylon Orange Pekoe, 250 g', 890, 'Brisk and bright, for every day.'),
  product('TEA-EARLGREY-100', 'tea', 'Earl Grey, 100 g', 690, 'Black tea with oil of bergamot.'),
  product('TEA-KEEMUN-100', 'tea', 'Keemun Mao Feng, 100 g', 1290, 'Black tea from Anhui, with a note of cocoa.'),
  product('TEA-SENCHA-100', 'tea', 'Sencha Kagoshima, 100 g', 1390, 'Green tea, steamed; brew it at 70 degrees.'),
  product('TEA-GENMAICHA-100', 'tea', 'Genmaicha, 100 g', 790, 'Green tea with roasted rice.'),
  product('TEA-MATCHA-30', 'tea', 'Matcha Uji, 30 g', 2450, 'Green tea, stone-ground to a fine powder.'),
  product('TEA-JASMINE-100', 'tea', 'Jasmine Pearls, 100 g', 1690, 'Green tea, rolled by hand, scented five nights.'),
  product('TEA-OOLONG-100', 'tea', 'Tie Guan Yin Oolong, 100 g', 1590, 'Half oxidised; good for six infusions.'),
  product('TEA-ROOIBOS-250', 'tea', 'Rooibos, 250 g', 750, 'From the Cederberg; no caffeine.'),
  product('COFFEE-SIDAMO-250', 'coffee', 'Ethiopia Sidamo, 250 g', 1090, 'Washed; bergamot and apricot. Whole beans.'),
  product('COFFEE-HUILA-250', 'coffee', 'Colombia Huila, 250 g', 990, 'Washed; caramel and red apple. Whole beans.'),
  product(
    'COFFEE-CERRADO-500',
    'coffee',
    'Brazil Cerrado, 500 g',
    1390,
    'Natural; hazelnut and chocolate. Whole beans.',
  ),
  product(
    'COFFEE-SUMATRA-250',
    'coffee',
    'Sumatra Mandheling, 250 g',
    1150,
    'Wet-hulled; cedar and spice. Whole beans.',
  ),
  product('COFFEE-ESPRESSO-1000', 'coffee', 'House Espresso, 1 kg', 2290, 'Four fifths arabica. Whole beans.'),
  product('COFFEE-DECAF-250', 'coffee', 'Mexico Decaf, 250 g', 1190, 'Decaffeinated in spring water. Whole beans.'),
  product('WARE-TEAPOT-900', 'ware', 'Stoneware Teapot, 0.9 l', 4900, 'With a strainer of steel.'),
  product('WARE-CHASEN', 'ware', 'Bamboo Whisk', 1850, 'For matcha; 80 tines, split by hand.'),
  product('WARE-DRIPPER-02', 'ware', 'Porcelain Dripper, size 02', 2190, 'For one to four cups of filter coffee.'),
  product('WARE-MILL', 'ware', 'Hand Mill', 8900, 'Conical steel burrs, 36 settings.'),
]

/**
 * @param {string} sku @param {string} category @param {string} name @param {number} priceInCents
 * @param {string} description
 */
function product(sku, category, name, priceInCents, description) {
  return { sku, category, name, priceInCents, description }
}
