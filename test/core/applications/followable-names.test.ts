import { marked } from 'marked'
import { expect, it } from 'vitest'
import {
  readCredentialName,
  readRegistrationContact,
  readRegistrationName,
} from '../../../src/core/applications/records/validation.js'

const FOLLOWED =
  `www.evil.example|evil.example|evil\u3002example|evil\uFF0Eexample|evil\uFF61example|\uFF45vil.com|tel:+19005550100|tel: 110|TEL:110|mailto:x|http:evil
https://evil.example/verify|javascript:alert(1)|sms:12345|x@evil|me@evil.example|me @ evil.example|//evil/x|\\\\evil\\share|127.0.0.1|Call +1 900 555 0100 now
Call 1-900-555-0100|(900) 555-0100|900.555.0100|+49 (0)30 / 123 456|[900] 555 0100|9005550100|\uFF19\uFF10\uFF10\uFF15\uFF15\uFF15\uFF10\uFF11\uFF10\uFF10|\u0669\u0660\u0660 \u0665\u0665\u0665 \u0660\u0661\u0660\u0660|\u0967\u0968\u0969\u096A\u096B\u096C\u096D
+1 90055|900\u2011555\u20130100|localhost:3000|xmpp:me|evil.xn--p1ai|\u043F\u0440\u0438\u043C\u0435\u0440.\u0440\u0444|evil.c0m|Booking.com|E.Leclerc|Amazon.com|E.com|L.L.app|E.ON.com|x.on|E.ON/x|a@E.ON|www.E.ON|St.Gallen|localhost|\u{1F4BB}.ws|\u2460\u2461\u2462\u2463\u2464\u2465\u2466`.split(
    /[|\n]/,
  )

/** As companies are called. */
const ORDINARY =
  `Acme: Orders|3M|24/7 Logistics|O'Neill & Sons|7-Eleven|1-800-Flowers|1&1|4711|Studio 54|Dr. Oetker|AT&T|Toys "R" Us|Yahoo!|E-Plus|J.P. Morgan|U.S. Steel|H&M|Johnson & Johnson|Procter & Gamble|C&A
S.p.A. Rossi|Müller GmbH & Co. KG|Société Générale S.A.|Sp. z o.o. Nowak|d.o.o. Horvat|A/S Hansen|Ørsted A/S|Łódź Cargo|Ünlü Gıda A.Ş.|Çelik Ltd. Şti.|Ærø Ferries|Škoda Auto a.s.|Nestlé|L'Oréal|Crédit Agricole|Citroën|Häagen-Dazs|Ben & Jerry's|Marks & Spencer|Dunkin'
20th Century|21st Century Fox|Forever 21|Motel 6|Super 8|Heinz 57|V8|Levi's 501|Boeing 747 Parts|Area 51 Labs|99 Cents Only|100% Juice|50/50 Partners|2nd Street|A1 Telekom|B2B Hub|O2|EE|N26|Bank 1 Saar|Hotel 1880|Since 1848 Watches|Class of 1999|Room 101|Gate 7
株式会社日立製作所|トヨタ自動車|任天堂|ソニーグループ|三菱商事|華為技術|阿里巴巴集团|腾讯控股|삼성전자|현대자동차|एचडीएफसी बैंक|टाटा स्टील|ธนาคารกรุงเทพ|ปตท.|شركة أرامكو|مصرف الراجحي|בנק הפועלים|תנובה|Газпром|Сбербанк|ООО «Ромашка»|ЗАТ Київ|Αθήνα Α.Ε.|Εθνική Τράπεζα|საქართველოს ბანკი|Հայաստան|தமிழ்நாடு|బ్యాంక్|বাংলা ব্যাংক|ਪੰਜਾਬ
Shop|Counter|Northline Rail|Tea & Coffee|Smith, Jones & Co.|Brown (Holdings) Ltd|The Body Shop|Red Bull|Best Buy|Home Depot|Whole Foods|General Electric|Ford|Tesla|Apple Inc.|Alphabet Inc.|Meta Platforms|Intel|AMD|IBM|SAP SE|Siemens AG|BMW|Volkswagen|Audi|Porsche|Daimler|Bosch|Continental|BASF
Bayer|Merck & Co., Inc.|Pfizer|Roche|Novartis|Sanofi|GSK plc|AstraZeneca|Shell|BP p.l.c.|Total|Eni|Repsol|Equinor|Statoil|Vattenfall|Engie|EDF|Iberdrola|Enel|Orders (staging)|Orders - staging|Orders/staging|Orders + returns|Orders #2|Orders no. 2|Orders, v2|Orders v2.1|Release 1.2.3|Warehouse 12
Data: Insights|Re: Fashion|Project: North|Team A - Team B|Rock'n'Roll|Guns & Roses|P&O Ferries|M&S|B&Q|DHL|UPS|FedEx|TNT N.V.|PostNL|La Poste|Correos|Royal Mail|Deutsche Post|Swiss Post|bpost|Air France-KLM|British Airways|Lufthansa|Qantas|Emirates|Etihad|ANA|JAL|easyJet|Ryanair
Coca-Cola|Pepsi|Fanta|7Up|Dr Pepper|Sprite|A&W|Jack in the Box|Five Guys|Wendy's|Arby's|KFC|Subway|Taco Bell|Domino's
E.ON|E.ON SE|L.L.Bean|H.B. Fuller|A.P. M\u00F8ller \u2013 M\u00E6rsk|J.P.Morgan|J.P.Morgan Chase & Co.|S.p.A.|Fiat S.p.A.|S.p.A. Fiat|Yahoo! Inc.|A.T. Kearney|S.C.A. Hygiene|J.Crew|(E.ON)
C.H. Robinson|W.W. Grainger|T. Rowe Price|T.J.Maxx|A.S. Roma|U.S. Bank|St. Gallen|St. Jude|Dr. Martens|Mr. Price|Inc. 5000|No. 7|P.F. Chang's|J.M. Smucker|F.C. Bayern|\u0410.\u0411. \u0418\u0432\u0430\u043D\u043E\u0432|\u0410.\u0418\u0432\u0430\u043D\u043E\u0432`.split(
    /[|\n]/,
  )

it.each(FOLLOWED)('a mail program could follow %s, which a stranger may not be called', (text) => {
  for (const name of [text, `Your account: ${text} now`])
    expect(() => readRegistrationName(name)).toThrow(/must not have anything like a web address/)
  expect(() => readCredentialName(text, 'contact:dev@example.com')).toThrow(/must not have/)
  expect(readCredentialName(text, 'operator:jo')).toBe(text)
})

it('two hundred ordinary names are possible, and no autolinker makes a link of one', () => {
  expect(ORDINARY.length).toBeGreaterThanOrEqual(200)
  const refused = ORDINARY.filter((name) => {
    try {
      return readRegistrationName(name) !== name
    } catch {
      return true
    }
  })
  expect(refused).toEqual([])
  for (const name of ORDINARY) expect(marked.parseInline(name, { gfm: true })).not.toContain('<a ')
})

it.each([
  'www.evil.example/free-gift?id=7',
  'www.evil.example',
  'WWW.evil',
  'a/b',
  'a?b',
  'a=b',
  'a&b',
  'a%b',
  'a!b',
  'a#b',
  '{a}',
  'a`b',
  'a|b',
  '$a',
  '~a',
])('a stranger has no address that starts with %s@, of which autolinkers make a web address', (local) =>
  expect(() => readRegistrationContact(`${local}@attacker.example`)).toThrow(/web address before the @/),
)

it.each(['dev', 'john.doe', 'john+orders', "o'neill", 'a_b-c', '12345678', 'wwwilson', 'X'])(
  'an address may start with %s@',
  (local) => {
    expect(readRegistrationContact(`${local}@customer.example`)).toBe(`${local}@customer.example`)
  },
)
