import { isAlphanumeric, isKeyCharacter, isRandom, makeupOf } from './characters.ts'
import { isKey } from './plausible-value.ts'
import { endOfBody } from './private-keys.ts'
import type { SecretKind, Span, Spans } from './span.ts'
import { STEP, type Steps } from './steps.ts'

/** Keys and tokens that tell themselves what they are: by a prefix, or by a form that nothing else has. */

const WORD = '[A-Za-z0-9_-]'
const LETTERS = '[A-Za-z0-9]'
const HEX = '[A-Fa-f0-9]'

interface Form {
  readonly prefix: string
  readonly body: RegExp
  readonly kind: SecretKind
  /** Found also where letters stand right before it: nothing else looks like this. */
  readonly isGlued: boolean
  readonly index: number
}

/** The longest body that a pattern reads. A longer key ends where its run of key characters ends. */
const MAX_BODY = 4_096
let forms = 0

/**
 * A prefix and then at least as many characters as `body` asks for. All characters that follow belong to the
 * key too. A body is one stretch that begins at the prefix. So a body that was rejected once is not judged
 * again from its middle.
 */
function form(kind: SecretKind, prefixes: string, body: string, { isGlued = false } = {}): readonly Form[] {
  const bounded = new RegExp(body.replaceAll(',}', `,${MAX_BODY}}`), 'y')
  return prefixes.split(' ').map(prefix => ({ prefix, kind, isGlued, body: bounded, index: forms++ }))
}

const GLUED = { isGlued: true }
const UUID = `${HEX}{8}-${HEX}{4}-${HEX}{4}-${HEX}{4}-${HEX}{12}`

const FORMS: readonly Form[] = [
  // OpenAI and the many that took over its `sk-`, Anthropic, other hosts of models.
  ...form('API key', 'sk-ant- sk-proj- sk-svcacct- sk-admin- sk-or-v1- nvapi- sk-lf-', `${WORD}{20,}`, GLUED),
  ...form('API key', 'sk-', `${LETTERS}{20,}${WORD}{0,}`),
  ...form('API key', 'sk_', `${HEX}{40,}`),
  ...form('API key', 'gsk_ pplx- jina_ xai- csk- llx-', `${LETTERS}{36,}`, GLUED),
  ...form('API key', 'r8_', `${LETTERS}{36,}`),
  ...form('API key', 'tvly- tgp_v1_', `${WORD}{20,}`, GLUED),
  ...form('API key', 'fw_', `${LETTERS}{22,}`),
  ...form('API key', 'fc-', `${HEX}{32}(?!${WORD})`),
  ...form('API key', 'e2b_', `${HEX}{40,}`),
  ...form('API key', 'pa-', `${WORD}{40,}`),
  ...form('API key', 'bb_live_ bb_test_', `${WORD}{20,}`, GLUED),
  ...form('API key', 'lsv2_pt_ lsv2_sk_', '[A-Za-z0-9_]{32,}', GLUED),
  ...form('API key', 'pcsk_', '[A-Za-z0-9_]{40,}', GLUED),
  // Palimpsest's own keys.
  ...form('API key', 'pal_', `${LETTERS}{6,}_${WORD}{32,}`),
  ...form('token', 'hf_', `${LETTERS}{30,}`),
  ...form('token', 'api_org_', `${LETTERS}{30,}`, GLUED),
  // Code hosts and registries.
  ...form('token', 'ghp_ gho_ ghu_ ghs_ ghr_', `${LETTERS}{36,}`, GLUED),
  ...form('token', 'github_pat_', '[A-Za-z0-9_]{36,}', GLUED),
  ...form(
    'token',
    'glpat- gldt- glrt- glcbt- glptt- glft- glsoat- glimt- glagent- gloas- glffct-',
    `${WORD}{20,}(?:\\.${WORD}{2,}){0,3}`,
    GLUED,
  ),
  ...form('token', 'GR1348941', `${WORD}{20,}`),
  ...form('token', 'npm_', `${LETTERS}{36,}`, GLUED),
  ...form('token', 'pypi-', `${WORD}{60,}`, GLUED),
  ...form('token', 'dckr_pat_ dckr_oat_', `${WORD}{20,}`, GLUED),
  ...form('token', 'rubygems_', `${HEX}{40,}`, GLUED),
  ...form('token', 'CLOJARS_', `${HEX}{60,}`, GLUED),
  ...form('token', 'CFPAT-', `${WORD}{40,}`, GLUED),
  ...form('token', 'CCIPAT_', `${WORD}{40,}`, GLUED),
  ...form('token', 'bkua_ sgp_ squ_ sqp_ sqa_', `${HEX}{40,}`, GLUED),
  ...form('API key', 'oy2', '[a-z0-9]{43}(?![A-Za-z0-9_-])'),
  // Clouds.
  ...form('API key', 'AKIA ASIA ABIA ACCA', `[A-Z0-9]{16}(?!${WORD})`, GLUED),
  ...form('API key', 'ABSK', '[A-Za-z0-9+/]{100,}={0,2}'),
  ...form('API key', 'AKID', `${LETTERS}{32}(?!${WORD})`),
  ...form('API key', 'AKLT', `${WORD}{36,}`),
  ...form('API key', 'LTAI', `${LETTERS}{12,26}(?!${WORD})`),
  ...form('API key', 'AIza', `${WORD}{35,}`, GLUED),
  ...form('token', 'ya29.', `${WORD}{20,}`, GLUED),
  ...form('secret', 'GOCSPX-', `${WORD}{24,}`, GLUED),
  ...form('API key', 'AQVN', `${WORD}{35,38}(?!${WORD})`),
  ...form('token', 'dop_v1_ doo_v1_ dor_v1_', `${HEX}{40,}`, GLUED),
  ...form('token', 'tskey-', `${WORD}{20,}`, GLUED),
  ...form('token', 'hvs. hvb. hvr.', `${WORD}{24,}`),
  ...form('token', 'dapi', `${HEX}{32}(?:-\\d)?(?!${WORD})`),
  ...form('token', 'pul-', `${HEX}{40,}`),
  ...form('token', 'sbp_', `${HEX}{40,}`, GLUED),
  ...form('API key', 'sb_secret_', `${WORD}{20,}`, GLUED),
  ...form('token', 'pscale_tkn_ pscale_oauth_', `${WORD}{32,}`, GLUED),
  ...form('password', 'pscale_pw_', `${WORD}{32,}`, GLUED),
  ...form('API key', 'napi_', `${LETTERS}{40,}`),
  ...form('token', 'dp.pt. dp.st. dp.sa.', `(?:${WORD}{1,}\\.)?${LETTERS}{40,}`),
  ...form('private key', 'AGE-SECRET-KEY-1', '[A-Z0-9]{50,}', GLUED),
  ...form('token', 'nfp_ nfc_ nfo_ nfb_ nfu_', `${LETTERS}{36,}`, GLUED),
  ...form('token', 'vcp_ vci_ vca_ vcr_ vck_', `${LETTERS}{24,}`, GLUED),
  ...form('token', 'fo1_', `${WORD}{40,}`),
  ...form('token', 'fm1r_ fm1a_ fm2_', '[A-Za-z0-9+/]{60,}={0,3}', GLUED),
  ...form('API key', 'rnd_', `${LETTERS}{28,}`),
  ...form('API key', 'HRKU-', `${WORD}{36,}`, GLUED),
  ...form('token', 'sha256~', `${WORD}{43,}`, GLUED),
  ...form('token', 'dt0c01. dt0s16.', '[A-Z0-9]{24}\\.[A-Z0-9]{64}'),
  ...form('API key', 'ico-', `${LETTERS}{32,}`),
  ...form('API key', 'pnu_ pnb_', `${LETTERS}{36,}`),
  // Payment, mail, telephony, shops.
  ...form('API key', 'sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_', `${LETTERS}{16,}`, GLUED),
  ...form('secret', 'whsec_', '[A-Za-z0-9+/]{24,}={0,2}', GLUED),
  ...form('API key', 'SG.', `${WORD}{16,}\\.${WORD}{16,}`),
  ...form('API key', 'key-', `${HEX}{32}(?!${WORD})`),
  ...form('API key', 'SK', `[a-f0-9]{32}(?!${WORD})`),
  ...form('API key', 'xkeysib- xsmtpsib-', `${WORD}{40,}`, GLUED),
  ...form('API key', 're_', `${LETTERS}{8}_?${LETTERS}{20,}`),
  ...form('token', 'shpat_ shpss_ shpca_ shppa_', `${HEX}{32,}`, GLUED),
  ...form('token', 'sq0atp- sq0csp-', `${WORD}{22,}`, GLUED),
  ...form('API key', 'EZAK EZTK', `${LETTERS}{54,}`),
  ...form('API key', 'shippo_live_ shippo_test_', `${HEX}{40,}`, GLUED),
  ...form('API key', 'duffel_live_ duffel_test_', `${WORD}{43,}`, GLUED),
  ...form('API key', 'FLWSECK-', `${HEX}{32,}`),
  ...form('API key', 'FLWSECK_TEST-', `${HEX}{12,}`, GLUED),
  ...form('token', 'access-sandbox- access-development- access-production-', UUID),
  // Chat and work.
  ...form(
    'token',
    'xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xoxc- xoxd- xoxe.xoxp- xoxe.xoxb-',
    `${WORD}{20,}`,
    GLUED,
  ),
  ...form('token', 'xapp-', `${WORD}{30,}`, GLUED),
  ...form('token', 'EAA', `[A-Z]${LETTERS}{80,}`),
  ...form('token', 'IGQ IGAA', `${WORD}{80,}`),
  ...form('token', 'ATATT3 ATCTT3', `[A-Za-z0-9_=-]{60,}`, GLUED),
  ...form('token', 'ATTA', `${HEX}{64,}`),
  ...form('API key', 'lin_api_', `${LETTERS}{32,}`, GLUED),
  ...form('token', 'figd_ figo_', `${WORD}{30,}`),
  ...form('token', 'ntn_', `${LETTERS}{40,}`),
  ...form('token', 'secret_', `${LETTERS}{43}(?!${WORD})`),
  ...form('API key', 'PMAK-', `${HEX}{24}-${HEX}{34}`),
  ...form('API key', 'NRAK-', '[A-Z0-9]{27,}', GLUED),
  ...form('token', 'glc_', '[A-Za-z0-9+/]{32,}={0,2}'),
  ...form('token', 'glsa_', `${LETTERS}{32}_${HEX}{8}`),
  ...form('token', 'sntrys_ sntryu_', `[A-Za-z0-9+/=_-]{40,}`, GLUED),
  ...form('token', 'ops_eyJ', '[A-Za-z0-9+/]{100,}={0,2}'),
  ...form('token', 'pat', `${LETTERS}{14}\\.${HEX}{64}`),
  ...form('token', 'pat.', `${WORD}{22}\\.${HEX}{24}\\.${LETTERS}{20}`),
  ...form('token', 'pat-na1- pat-na2- pat-eu1-', UUID),
  ...form('API key', 'sdk- api-', UUID),
  ...form('API key', 'pk_', `\\d{6,9}_[A-Z0-9]{32}(?!${WORD})`),
  ...form('token', 'tfp_', `${WORD}{44,}`),
  ...form('API key', 'rdme_', '[a-z0-9]{70}'),
  ...form('token', 'syt_', '[A-Za-z0-9_]{30,}'),
  ...form('token', 'sl.', `${WORD}{100,}`),
  ...form('secret', 'SEC', `[a-f0-9]{64}(?!${WORD})`),
  ...form('token', 'sk.eyJ', `${WORD}{20,}\\.${WORD}{20,}`),
  // JSON Web Tokens: they begin with `{"` in base64.
  ...form('token', 'eyJ', `${WORD}{8,}\\.${WORD}{8,}\\.(?:${WORD}{1,}\\.)?${WORD}{8,}(?:\\.${WORD}{8,})?`),
]

interface Shape {
  readonly shape: RegExp
  readonly kind: SecretKind
  readonly isGenuine?: (text: string) => boolean
}

/**
 * Keys without a prefix: Discord's bots, Zhipu, secrets of applications in Azure, Terraform, Mailchimp,
 * MaxMind, 1Password, Azure's models.
 */
const SHAPES: readonly Shape[] = [
  {
    shape: /[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6,7}\.[A-Za-z0-9_-]{27,4096}/y,
    kind: 'token',
    // The first part is the bot's id in base64.
    isGenuine: text =>
      /^\d{15,20}$/.test(Buffer.from(text.split('.', 1)[0]!, 'base64url').toString('latin1')),
  },
  { shape: /[a-f0-9]{32}\.[A-Za-z0-9]{16}(?![A-Za-z0-9_~-]|\.[A-Za-z0-9])/y, kind: 'API key' },
  { shape: /[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{30,33}[A-Za-z0-9_~-](?![A-Za-z0-9_~-])/y, kind: 'secret' },
  { shape: /[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,4096}/y, kind: 'token' },
  { shape: /[a-f0-9]{32}-us\d{1,2}(?![A-Za-z0-9_-])/y, kind: 'API key', isGenuine: isRandom },
  { shape: /[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk(?![A-Za-z0-9_-])/y, kind: 'API key' },
  {
    shape:
      /A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}(?![A-Za-z0-9_-])/y,
    kind: 'secret',
    isGenuine: text => /\d/.test(text.slice(3)),
  },
  { shape: /[A-Za-z0-9]{52}JQQJ99[A-Za-z0-9]{24,28}(?![A-Za-z0-9_-])/y, kind: 'API key' },
]

/**
 * How private keys begin in base64, without the line that names them: RSA, PKCS #8, elliptic curves, OpenSSH.
 * Certificates and public keys begin otherwise.
 */
const KEY_BODY =
  /MI[GI][A-Za-z0-9+/]{2,4}(?:IBAAKC|IBADANBgkqhkiG9w0BAQEFAASC|AgEAMB[AM]GByqGSM49)|M[HI][A-Za-z0-9+/]{1,4}CAQEE[I-Q]|MC4CAQAwBQYDK2V[uw]|b3BlbnNzaC1rZXktdjE/y

function byPair(forms: readonly Form[]): ReadonlyMap<number, readonly Form[]> {
  return Map.groupBy(forms, ({ prefix }) => (prefix.charCodeAt(0) << 7) | prefix.charCodeAt(1))
}

const AT_START = byPair(FORMS)
const ANYWHERE = byPair(FORMS.filter(({ isGlued }) => isGlued))

/** Every form begins with a stretch of at least this many key characters, or holds one. */
export const SHORTEST_RUN = 20

/** In tokens with several parts the dots belong to the word. */
function isOfWord(code: number): boolean {
  return isKeyCharacter(code) || code === 46 || code === 126
}

/** Reads every word that holds a long run of key characters. */
export function* findKnownKeys(text: string, found: Spans): Steps<void> {
  const finder = new KeyFinder(text, found)
  let [start, runStart, isLong, looked] = [0, 0, false, 0]
  for (let at = 0; at <= text.length; at++) {
    at = endOfRun(text, at)
    if (at - looked >= STEP) {
      looked = at
      yield
    }
    const code = text.charCodeAt(at)
    if (isKeyCharacter(code)) {
      at--
      continue
    }
    if (at - runStart >= SHORTEST_RUN) {
      isLong = true
      findByWhatStandsBefore(text, runStart, found)
    }
    runStart = at + 1
    if (isOfWord(code)) continue
    if (isLong) yield* finder.findIn(start, at)
    start = at + 1
    isLong = false
  }
}

/** The end of the run, or of one step. */
function endOfRun(text: string, from: number): number {
  const to = Math.min(text.length, from + STEP)
  let at = from
  while (at < to && isKeyCharacter(text.charCodeAt(at))) at++
  return at
}

class KeyFinder {
  readonly #text: string
  readonly #found: Spans
  /** For each form the place up to which a body was rejected. */
  #judged: Uint32Array | null = null
  /** Where the last body of a private key ends. */
  #bodyEnd = 0

  constructor(text: string, found: Spans) {
    this.#text = text
    this.#found = found
  }

  /**
   * A key begins where the word begins, or after a dot: `example.ghp_…`. Some keys also begin in the middle
   * of it.
   */
  *findIn(start: number, end: number): Steps<void> {
    const text = this.#text
    let isStart = true
    for (let at = start; at < end; at++) {
      if (at % STEP === 0) yield
      const code = text.charCodeAt(at)
      if (!isAlphanumeric(code)) {
        isStart ||= code === 46
        continue
      }
      if (isStart && at >= this.#bodyEnd && isMatchAt(KEY_BODY, text, at)) {
        this.#bodyEnd = yield* endOfBody(text, at)
        this.#found.push({ start: at, end: this.#bodyEnd, kind: 'private key' })
      }
      if (at < this.#bodyEnd) continue
      const span = this.#keyAt(at, isStart)
      isStart = false
      if (!span) continue
      this.#found.push(span)
      if (/^A[KS]IA/.test(text.slice(at, at + 4))) findSecretBeside(text, span, this.#found)
      at = span.end - 1
    }
  }

  #keyAt(at: number, isStart: boolean): Span | null {
    const text = this.#text
    const pair = (text.charCodeAt(at) << 7) | text.charCodeAt(at + 1)
    const forms = (isStart ? AT_START : ANYWHERE).get(pair)
    if (forms !== undefined)
      for (const form of forms) {
        if (!text.startsWith(form.prefix, at) || (this.#judged?.[form.index] ?? 0) > at) continue
        form.body.lastIndex = at + form.prefix.length
        const match = form.body.exec(text)
        if (match === null) continue
        const end = form.body.lastIndex
        if (isRandom(match[0])) return { start: at, end: endOfLong(text, at, end), kind: form.kind }
        this.#judged ??= new Uint32Array(FORMS.length)
        this.#judged[form.index] = end
      }
    return isStart ? shapeAt(text, at) : null
  }
}

function shapeAt(text: string, at: number): Span | null {
  for (const { shape, kind, isGenuine = isMixed } of SHAPES) {
    shape.lastIndex = at
    const match = shape.exec(text)
    if (match && isGenuine(match[0])) return { start: at, end: endOfLong(text, at, shape.lastIndex), kind }
  }
  return null
}

function isMatchAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at
  return pattern.test(text)
}

function endOfLong(text: string, start: number, end: number): number {
  if (end - start < MAX_BODY) return end
  let last = end
  while (isKeyCharacter(text.charCodeAt(last))) last++
  return last
}

function endOfWord(text: string, from: number): number {
  let end = from
  while (end < text.length && isOfWord(text.charCodeAt(end))) end++
  return end
}

function isMixed(text: string): boolean {
  const { lower, upper, digits, distinct } = makeupOf(text)
  return lower > 0 && upper > 0 && digits > 0 && distinct >= 16
}

/** As in Amazon's own files: the id, a comma, the secret. */
const SECRET_BESIDE = /[ \t"',;:|/]{1,8}([A-Za-z0-9+/]{40})(?![A-Za-z0-9+/=])/y

function findSecretBeside(text: string, id: Span, found: Spans): void {
  SECRET_BESIDE.lastIndex = id.end
  const match = SECRET_BESIDE.exec(text)
  if (match && isMixed(match[1]!))
    found.push({ start: SECRET_BESIDE.lastIndex - 40, end: SECRET_BESIDE.lastIndex, kind: 'secret' })
}

/** The addresses of incoming webhooks: the last part alone allows a sender to write there. */
const WEBHOOK = new RegExp(
  [
    String.raw`hooks\.slack\.com/(?:services|workflows)/T\w{6,14}/[AB]\w{6,14}/(?:\d{6,24}/)?`,
    String.raw`discord(?:app)?\.com/api/(?:v\d{1,2}/)?webhooks/\d{15,20}/`,
    String.raw`open\.(?:feishu\.cn|larksuite\.com)/open-apis/bot/v2/hook/`,
    String.raw`qyapi\.weixin\.qq\.com/cgi-bin/webhook/send\?key=`,
  ]
    .map(address => `(?:${address})$`)
    .join('|'),
)
const MAX_ADDRESS = 120

const BOT_TOKEN = /AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])/y
const BOT_ID = /(?:^|[^0-9])(\d{8,10}):$/
const BEARER = /(?:^|[^A-Za-z])bearer[ \t]{1,4}$/i
const BEARER_TOKEN = /[A-Za-z0-9._~+/-]{20,4096}={0,2}/y
const REFRESH_TOKEN = /0[A-Za-z0-9_-]{38,4096}/y

/** `the API key is …`, `密钥是…`. */
const SAID_KEY =
  /(?:(?:api|access|secret|private)[ _-]?key|token|secret|密钥|密鑰|令牌)[ \t]?(?:is|was|是|为|為)[ \t:：]{0,3}["'`“]?$/i
const KEY = /[A-Za-z0-9_~+/-]{20,4096}={0,2}/y
const MAX_WORDS = 32

function findSaidKey(text: string, at: number, found: Spans): void {
  if (!SAID_KEY.test(text.slice(Math.max(0, at - MAX_WORDS), at))) return
  KEY.lastIndex = at
  const key = KEY.exec(text)
  if (key && isKey(key[0], { isQuoted: false }))
    found.push({ start: at, end: KEY.lastIndex, kind: 'API key' })
}

function findByWhatStandsBefore(text: string, at: number, found: Spans): void {
  const before = text[at - 1]
  if (before === ':') findBotToken(text, at, found)
  else if (before === '|') findAppToken(text, at, found)
  else if (before === ' ' || before === '\t') findBearer(text, at, found)
  else if (before === '/' || before === '=') findWebhook(text, at, found)
  if (before === '/') findRefreshToken(text, at, found)
  else findSaidKey(text, at, found)
}

/** A token of Telegram. */
function findBotToken(text: string, at: number, found: Spans): void {
  BOT_TOKEN.lastIndex = at
  const id = BOT_ID.exec(text.slice(Math.max(0, at - 12), at))
  const token = id && BOT_TOKEN.exec(text)
  if (token && isRandom(token[0]))
    found.push({ start: at - id[1]!.length - 1, end: BOT_TOKEN.lastIndex, kind: 'token' })
}

const APP_ID = /(?:^|[^0-9])(\d{13,17})\|$/
const APP_TOKEN = /[A-Za-z0-9_-]{27}(?![A-Za-z0-9_-])/y

/** A token of Facebook. */
function findAppToken(text: string, at: number, found: Spans): void {
  APP_TOKEN.lastIndex = at
  const id = APP_ID.exec(text.slice(Math.max(0, at - 19), at))
  const token = id && APP_TOKEN.exec(text)
  if (token && isRandom(token[0]))
    found.push({ start: at - id[1]!.length - 1, end: APP_TOKEN.lastIndex, kind: 'token' })
}

function findBearer(text: string, at: number, found: Spans): void {
  if (!BEARER.test(text.slice(Math.max(0, at - 12), at))) return
  BEARER_TOKEN.lastIndex = at
  const token = BEARER_TOKEN.exec(text)
  if (token && isRandom(token[0])) found.push({ start: at, end: BEARER_TOKEN.lastIndex, kind: 'token' })
}

/** A token of Google. */
function findRefreshToken(text: string, at: number, found: Spans): void {
  if (!text.startsWith('1//', at - 3) || isOfWord(text.charCodeAt(at - 4))) return
  REFRESH_TOKEN.lastIndex = at
  const token = REFRESH_TOKEN.exec(text)
  if (token && isRandom(token[0])) found.push({ start: at - 3, end: REFRESH_TOKEN.lastIndex, kind: 'token' })
}

function findWebhook(text: string, at: number, found: Spans): void {
  if (!WEBHOOK.test(text.slice(Math.max(0, at - MAX_ADDRESS), at))) return
  const end = endOfWord(text, at)
  if (makeupOf(text.slice(at, end)).distinct >= 8) found.push({ start: at, end, kind: 'secret' })
}
