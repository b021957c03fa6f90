import type { SecretKind } from './span.ts'

/** What a name tells about its value. `basic`: user and password in base64, as in Docker's files. */
export type NamedSecret = SecretKind | 'credentials' | 'basic'

/** This many characters of a name are read, from its end. A longer name ends in the same words. */
export const MAX_NAME = 48

/**
 * Tells from the end of a name what its value is: `DB_PASSWORD`, `smtp.password`, `x-api-key`,
 * `clientSecret`, `登录密码`. `null`: nothing that has to stay secret.
 */
export function secretOf(name: string): NamedSecret | null {
  const lower = name.toLowerCase()
  if (isPasswordName(name, lower)) return 'password'
  if (/(?:^|[^a-z])(?:proxy[-_ ]?)?authorization$/.test(lower)) return 'credentials'
  if (/(?:^|[^a-z])auth$/.test(lower)) return 'basic'
  if (API_KEY.test(lower) && !HARMLESS_KEY.test(lower)) return 'API key'
  if (/[A-Z0-9]_KEY$/.test(name) && !HARMLESS_KEY.test(lower)) return 'API key'
  if (SECRET.test(lower)) return 'secret'
  if (TOKEN.test(lower) && !HARMLESS_TOKEN.test(lower)) return 'token'
  return COOKIE.test(lower) ? 'token' : null
}

/** Whether the name can also mean something else. */
export function isVague(name: string): boolean {
  if (/[sw]$/i.test(name) && /(?:^|[^A-Za-z])(?:pass|pw)$/i.test(name)) return !isOfEnvironment(name)
  return VAGUE.has(wordElsewhere(name.toLowerCase()) ?? '')
}

/** Written like an environment variable: only a value can follow. */
export function isOfEnvironment(name: string): boolean {
  return /(?:^|[^A-Za-z0-9_])[A-Z][A-Z0-9]*_[A-Z0-9_]+$/.test(name)
}

/** Words for a password in other large languages, as people write them before a colon. */
const PASSWORDS_ELSEWHERE: readonly string[] = [
  ...[
    'passwort',
    'kennwort',
    'mot de passe',
    'mdp',
    'contraseña',
    'contrasena',
    'clave',
    'clave de acceso',
    'senha',
  ],
  ...[
    'palavra-passe',
    'palavra passe',
    'parola',
    'parola d’ordine',
    "parola d'ordine",
    'parolă',
    'parole',
    'wachtwoord',
  ],
  ...[
    'hasło',
    'haslo',
    'heslo',
    'lösenord',
    'losenord',
    'adgangskode',
    'passord',
    'salasana',
    'jelszó',
    'jelszo',
  ],
  ...['κωδικός', 'κωδικός πρόσβασης', 'пароль', 'парола', 'şifre', 'şifresi', 'şifreniz', 'sifre', 'sifresi'],
  ...['كلمة المرور', 'كلمة السر', 'رمز عبور', 'رمز المرور', 'סיסמה', 'סיסמא', 'पासवर्ड', 'পাসওয়ার্ড'],
  ...[
    'パスワード',
    '暗証番号',
    '비밀번호',
    '비번',
    '密码',
    '密碼',
    '口令',
    'mật khẩu',
    'รหัสผ่าน',
    'kata sandi',
    'kata laluan',
  ],
]
/** The words among these that also mean something else. */
const VAGUE: ReadonlySet<string> = new Set(['parola', 'parole', 'clave', 'mdp', 'heslo', 'κωδικός'])
const BY_LAST_TWO = Map.groupBy(PASSWORDS_ELSEWHERE, word => word.slice(-2))

/** The word at the end of a name. In scripts without blanks, other words may stand right before it. */
function wordElsewhere(lower: string): string | null {
  for (const word of BY_LAST_TWO.get(lower.slice(-2)) ?? []) {
    if (!lower.endsWith(word)) continue
    const before = lower[lower.length - word.length - 1] ?? ' '
    if (word === '口令' ? !/[淘包]/.test(before) : word.charCodeAt(0) > 0x3000 || !/\p{L}/u.test(before))
      return word
  }
  return null
}

function isPasswordName(name: string, lower: string): boolean {
  return PASSWORD.test(lower) || /[a-z0-9](?:Pass|Pwd)$/.test(name) || wordElsewhere(lower) !== null
}

const PASSWORD = /(?:passw(?:or)?d|passphrase|passcode|pwd|(?:^|[^a-z])(?:pass|psw|pw)|^wifi:.*;p)$/
const API_KEY =
  /(?:(?:^|[^a-z])[a-z]*?(?:api|app|access|account|auth|secret|private|signing|encryption|master|subscription|admin|service)[ _.-]?keys?|(?:shared|secret)[ _.-]?access[ _.-]?key|密钥|密鑰|秘钥|密匙|私钥)$/
/** Keys that open nothing. */
const HARMLESS_KEY =
  /(?:public|primary|foreign|sort|cache|partition|hash|range|idempotency|group|object|translation|registry|row|map|hot|s3|site|publishable)[ _.-]?keys?$/
/** In `arn:aws:secretsmanager:…:secret:name` the word is a part of an id. */
const SECRET = /(?:(?:^|[^:/a-z])[a-z]*secret|[?&]sig)$/
const TOKEN = /(?:token|令牌)$/
const COOKIE = /cookie:.{0,40}(?:^|[^a-z])(?:session|sess|sid|[a-z]*sess(?:ion)?[-_]?id)$/
/** Places in a list, marks of forms, parts of speech: these tokens open nothing. */
const HARMLESS_TOKEN =
  /(?:page|next|prev(?:ious)?|continuation|sync|cursor|start|resume|end|stop|first|last|current|csrf|xsrf|idempotency|request|device|push|pad|eos|bos|unk|cls|sep|mask|special|max|min|total|per|per[ _-]?1k|input|output|prompt|completion|cached)[ _.-]?token$/
