import { isAlphanumeric, isKeyCharacter, isRandom, makeupOf } from './characters.ts'
import { isKey } from './plausible-value.ts'
import type { SecretKind, Span } from './span.ts'

/** Keys and tokens that say themselves whose they are: by a prefix, or by a form that nothing else has. */

const WORD = '[A-Za-z0-9_-]'
const LETTERS = '[A-Za-z0-9]'
const HEX = '[A-Fa-f0-9]'

interface Form {
  readonly prefix: string
  readonly body: RegExp
  readonly kind: SecretKind
}

/** After the prefix, at least so many characters; all that follow belong to it, too. */
function form(kind: SecretKind, prefixes: string, body: string): readonly Form[] {
  return prefixes.split(' ').map(prefix => ({ prefix, kind, body: new RegExp(body, 'y') }))
}

const FORMS: readonly Form[] = [
  // OpenAI and the many who took over its `sk-`, Anthropic, other hosts of models.
  ...form('API key', 'sk-ant- sk-proj- sk-svcacct- sk-admin- sk-or-v1- nvapi-', `${WORD}{20,}`),
  ...form('API key', 'sk-', `${LETTERS}{20,}${WORD}*`),
  ...form('API key', 'gsk_ pplx- r8_ jina_ xai-', `${LETTERS}{36,}`),
  ...form('API key', 'tvly-', `${WORD}{20,}`),
  // Our own.
  ...form('API key', 'pal_', `${LETTERS}{6,}_${WORD}{32,}`),
  ...form('token', 'hf_ api_org_', `${LETTERS}{30,}`),
  // Code hosts and registries.
  ...form('token', 'ghp_ gho_ ghu_ ghs_ ghr_', `${LETTERS}{36,}`),
  ...form('token', 'github_pat_', '[A-Za-z0-9_]{36,}'),
  ...form(
    'token',
    'glpat- gldt- glrt- glcbt- glptt- glft- glsoat- glimt- glagent- gloas-',
    `${WORD}{20,}(?:\\.${WORD}{2,}){0,3}`,
  ),
  ...form('token', 'npm_', `${LETTERS}{36,}`),
  ...form('token', 'pypi-', `${WORD}{60,}`),
  ...form('token', 'dckr_pat_ dckr_oat_', `${WORD}{20,}`),
  ...form('token', 'rubygems_', `${HEX}{40,}`),
  ...form('token', 'CFPAT-', `${WORD}{40,}`),
  // Clouds.
  ...form('API key', 'AKIA ASIA ABIA ACCA', `[A-Z0-9]{16}(?!${WORD})`),
  ...form('API key', 'AKID', `${LETTERS}{32}(?!${WORD})`),
  ...form('API key', 'AKLT', `${WORD}{36,}`),
  ...form('API key', 'LTAI', `${LETTERS}{12,26}(?!${WORD})`),
  ...form('API key', 'AIza', `${WORD}{35,}`),
  ...form('token', 'ya29.', `${WORD}{20,}`),
  ...form('secret', 'GOCSPX-', `${WORD}{24,}`),
  ...form('token', 'dop_v1_ doo_v1_ dor_v1_', `${HEX}{40,}`),
  ...form('token', 'tskey-', `${WORD}{20,}`),
  ...form('token', 'hvs. hvb. hvr.', `${WORD}{24,}`),
  ...form('token', 'dapi', `${HEX}{32}(?:-\\d)?(?!${WORD})`),
  ...form('token', 'pul-', `${HEX}{40,}`),
  ...form('token', 'sbp_', `${HEX}{40,}`),
  ...form('API key', 'sb_secret_', `${WORD}{20,}`),
  ...form('token', 'pscale_tkn_ pscale_oauth_', `${WORD}{32,}`),
  ...form('password', 'pscale_pw_', `${WORD}{32,}`),
  ...form('token', 'dp.pt. dp.st. dp.sa.', `(?:${WORD}+\\.)?${LETTERS}{40,}`),
  ...form('private key', 'AGE-SECRET-KEY-1', '[A-Z0-9]{50,}'),
  // Payment, mail, telephony, shops.
  ...form('API key', 'sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_', `${LETTERS}{16,}`),
  ...form('secret', 'whsec_', '[A-Za-z0-9+/]{24,}={0,2}'),
  ...form('API key', 'SG.', `${WORD}{16,}\\.${WORD}{16,}`),
  ...form('API key', 'key-', `${HEX}{32}(?!${WORD})`),
  ...form('API key', 'SK', `[a-f0-9]{32}(?!${WORD})`),
  ...form('API key', 'xkeysib-', `${WORD}{40,}`),
  ...form('token', 'shpat_ shpss_ shpca_ shppa_', `${HEX}{32,}`),
  ...form('token', 'sq0atp- sq0csp-', `${WORD}{22,}`),
  ...form('API key', 'EZAK EZTK', `${LETTERS}{54,}`),
  // Chat and work.
  ...form(
    'token',
    'xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xoxc- xoxd- xoxe.xoxp- xoxe.xoxb-',
    `${WORD}{20,}`,
  ),
  ...form('token', 'xapp-', `${WORD}{30,}`),
  ...form('token', 'EAAM EAAC', `${LETTERS}{100,}`),
  ...form('token', 'ATATT3 ATCTT3', `[A-Za-z0-9_=-]{60,}`),
  ...form('API key', 'lin_api_', `${LETTERS}{32,}`),
  ...form('token', 'figd_ figo_', `${WORD}{30,}`),
  ...form('token', 'ntn_', `${LETTERS}{40,}`),
  ...form('token', 'secret_', `${LETTERS}{43}(?!${WORD})`),
  ...form('API key', 'PMAK-', `${HEX}{24}-${HEX}{34}`),
  ...form('API key', 'NRAK-', '[A-Z0-9]{27,}'),
  ...form('token', 'glc_', '[A-Za-z0-9+/]{32,}={0,2}'),
  ...form('token', 'glsa_', `${LETTERS}{32}_${HEX}{8}`),
  ...form('token', 'sntrys_ sntryu_', `[A-Za-z0-9+/=_-]{40,}`),
  ...form('token', 'ops_eyJ', '[A-Za-z0-9+/]{100,}={0,2}'),
  ...form('token', 'pat', `${LETTERS}{14}\\.${HEX}{64}`),
  // JSON Web Tokens: what they begin with is `{"` in base64.
  ...form('token', 'eyJ', `${WORD}{8,}\\.${WORD}{8,}\\.(?:${WORD}+\\.)?${WORD}{8,}(?:\\.${WORD}{8,})?`),
]

interface Shape {
  readonly shape: RegExp
  readonly kind: SecretKind
  readonly isGenuine?: (text: string) => boolean
}

/** Without a prefix of their own: Discord's bots, Zhipu, secrets of applications in Azure, Terraform. */
const SHAPES: readonly Shape[] = [
  {
    shape: /[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6,7}\.[A-Za-z0-9_-]{27,}/y,
    kind: 'token',
    // The first part is the bot's id in base64.
    isGenuine: text =>
      /^\d{15,20}$/.test(Buffer.from(text.split('.', 1)[0]!, 'base64url').toString('latin1')),
  },
  { shape: /[a-f0-9]{32}\.[A-Za-z0-9]{16}(?![A-Za-z0-9_~-]|\.[A-Za-z0-9])/y, kind: 'API key' },
  { shape: /[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{30,33}[A-Za-z0-9_~-](?![A-Za-z0-9_~-])/y, kind: 'secret' },
  { shape: /[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,}/y, kind: 'token' },
]

const BY_FIRST = Map.groupBy(FORMS, ({ prefix }) => prefix.charCodeAt(0))

/** The shortest of all begin with a stretch of at least so many key characters, or hold one. */
export const SHORTEST_RUN = 20

/** Looks at every word that holds a long run of key characters. */
export function findKnownKeys(text: string, found: Span[]): void {
  let done = 0
  for (;;) {
    const run = findLongRun(text, done)
    if (run === null) return
    const start = startOfWord(text, run.start, done)
    done = endOfWord(text, run.end)
    findInWord(text, start, done, found)
    findByWhatStandsBefore(text, run.start, found)
  }
}

/** Whatever is as long as the shortest run lies under one of the places that are looked at. */
function findLongRun(text: string, from: number): { start: number; end: number } | null {
  for (let at = from + SHORTEST_RUN - 1; at < text.length; at += SHORTEST_RUN) {
    if (!isKeyCharacter(text.charCodeAt(at))) continue
    let [start, end] = [at, at + 1]
    while (start > from && isKeyCharacter(text.charCodeAt(start - 1))) start--
    while (isKeyCharacter(text.charCodeAt(end))) end++
    if (end - start >= SHORTEST_RUN) return { start, end }
    at = end
  }
  return null
}

/** Of tokens in several parts the dots belong to the word. */
function isOfWord(code: number): boolean {
  return isKeyCharacter(code) || code === 46 || code === 126
}

function startOfWord(text: string, from: number, least: number): number {
  let start = from
  while (start > least && isOfWord(text.charCodeAt(start - 1))) start--
  return start
}

function endOfWord(text: string, from: number): number {
  let end = from
  while (end < text.length && isOfWord(text.charCodeAt(end))) end++
  return end
}

/** A key begins where the word does, or after a dot: `example.ghp_…`. */
function findInWord(text: string, start: number, end: number, found: Span[]): void {
  for (let at = start; at < end; at++) {
    if (!isAlphanumeric(text.charCodeAt(at))) continue
    const span = keyAt(text, at)
    if (span) {
      found.push(span)
      if (/^A[KS]IA/.test(text.slice(at, at + 4))) findSecretBeside(text, span, found)
      at = span.end - 1
      continue
    }
    while (at < end && text.charCodeAt(at) !== 46) at++
  }
}

function keyAt(text: string, at: number): Span | null {
  for (const { prefix, body, kind } of BY_FIRST.get(text.charCodeAt(at)) ?? []) {
    if (!text.startsWith(prefix, at)) continue
    body.lastIndex = at + prefix.length
    const match = body.exec(text)
    if (match && isRandom(match[0])) return { start: at, end: body.lastIndex, kind }
  }
  for (const { shape, kind, isGenuine = isMixed } of SHAPES) {
    shape.lastIndex = at
    const match = shape.exec(text)
    if (match && isGenuine(match[0])) return { start: at, end: shape.lastIndex, kind }
  }
  return null
}

function isMixed(text: string): boolean {
  const { lower, upper, digits, distinct } = makeupOf(text)
  return lower > 0 && upper > 0 && digits > 0 && distinct >= 16
}

/** As Amazon's own files have it: the id, a comma, the secret. */
const SECRET_BESIDE = /[ \t"',;:|/]{1,8}([A-Za-z0-9+/]{40})(?![A-Za-z0-9+/=])/y

function findSecretBeside(text: string, id: Span, found: Span[]): void {
  SECRET_BESIDE.lastIndex = id.end
  const match = SECRET_BESIDE.exec(text)
  if (match && isMixed(match[1]!))
    found.push({ start: SECRET_BESIDE.lastIndex - 40, end: SECRET_BESIDE.lastIndex, kind: 'secret' })
}

/** The addresses of incoming webhooks: whoever has the last part may write there. */
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
const LONGEST_ADDRESS = 120

const BOT_TOKEN = /AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])/y
const BOT_ID = /(?:^|[^0-9])(\d{8,10}):$/
const BEARER = /(?:^|[^A-Za-z])bearer[ \t]{1,4}$/i
const BEARER_TOKEN = /[A-Za-z0-9._~+/-]{20,}={0,2}/y
const REFRESH_TOKEN = /0[A-Za-z0-9_-]{38,}/y

/** `the API key is …`, `密钥是…`. */
const SAID_KEY =
  /(?:(?:api|access|secret|private)[ _-]?key|token|secret|密钥|密鑰|令牌)[ \t]?(?:is|was|是|为|為)[ \t:：]{0,3}["'`“]?$/i
const KEY = /[A-Za-z0-9_~+/-]{20,}={0,2}/y
const LONGEST_WORDS = 32

function findSaidKey(text: string, at: number, found: Span[]): void {
  if (!SAID_KEY.test(text.slice(Math.max(0, at - LONGEST_WORDS), at))) return
  KEY.lastIndex = at
  const key = KEY.exec(text)
  if (key && isKey(key[0], { isQuoted: false }))
    found.push({ start: at, end: KEY.lastIndex, kind: 'API key' })
}

function findByWhatStandsBefore(text: string, at: number, found: Span[]): void {
  const before = text[at - 1]
  if (before === ':') findBotToken(text, at, found)
  else if (before === ' ' || before === '\t') findBearer(text, at, found)
  else if (before === '/' || before === '=') findWebhook(text, at, found)
  if (before === '/') findRefreshToken(text, at, found)
  else findSaidKey(text, at, found)
}

/** Of Telegram. */
function findBotToken(text: string, at: number, found: Span[]): void {
  BOT_TOKEN.lastIndex = at
  const id = BOT_ID.exec(text.slice(Math.max(0, at - 12), at))
  const token = id && BOT_TOKEN.exec(text)
  if (token && isRandom(token[0]))
    found.push({ start: at - id[1]!.length - 1, end: BOT_TOKEN.lastIndex, kind: 'token' })
}

function findBearer(text: string, at: number, found: Span[]): void {
  if (!BEARER.test(text.slice(Math.max(0, at - 12), at))) return
  BEARER_TOKEN.lastIndex = at
  const token = BEARER_TOKEN.exec(text)
  if (token && isRandom(token[0])) found.push({ start: at, end: BEARER_TOKEN.lastIndex, kind: 'token' })
}

/** Of Google. */
function findRefreshToken(text: string, at: number, found: Span[]): void {
  if (!text.startsWith('1//', at - 3) || isOfWord(text.charCodeAt(at - 4))) return
  REFRESH_TOKEN.lastIndex = at
  const token = REFRESH_TOKEN.exec(text)
  if (token && isRandom(token[0])) found.push({ start: at - 3, end: REFRESH_TOKEN.lastIndex, kind: 'token' })
}

function findWebhook(text: string, at: number, found: Span[]): void {
  if (!WEBHOOK.test(text.slice(Math.max(0, at - LONGEST_ADDRESS), at))) return
  const end = endOfWord(text, at)
  if (makeupOf(text.slice(at, end)).distinct >= 8) found.push({ start: at, end, kind: 'secret' })
}
