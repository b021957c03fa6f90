import type { SecretKind } from './span.ts'

/** What a name says of the value that it is given to. */
export type NamedSecret = SecretKind | 'credentials'

/** Names are looked at so far back: longer ones end in the same words. */
export const LONGEST_NAME = 48

/**
 * What the value of a name is, by how the name ends: `DB_PASSWORD`, `smtp.password`, `x-api-key`, `clientSecret`,
 * `登录密码`. `null`: nothing that has to be kept secret.
 */
export function secretOf(name: string): NamedSecret | null {
  const lower = name.toLowerCase()
  if (PASSWORD.test(lower) || /[a-z0-9](?:Pass|Pwd)$/.test(name)) return 'password'
  if (/(?:^|[^a-z])(?:proxy[-_ ]?)?authorization$/.test(lower)) return 'credentials'
  if (API_KEY.test(lower)) return 'API key'
  if (SECRET.test(lower)) return 'secret'
  if (TOKEN.test(lower) && !HARMLESS_TOKEN.test(lower)) return 'token'
  return null
}

/** Means other things as well. */
export function isVague(name: string): boolean {
  return /(?:^|[^A-Za-z])(?:pass|pw)$/i.test(name)
}

const PASSWORD =
  /(?:passw(?:or)?d|passphrase|passcode|passwort|kennwort|contraseña|пароль|パスワード|비밀번호|密码|密碼|(?<![淘包])口令|pwd|(?:^|[^a-z])(?:pass|psw|pw|senha))$/
const API_KEY =
  /(?:(?:^|[^a-z])[a-z]*?(?:api|app|access|account|auth|secret|private|signing|encryption|master|subscription)[ _.-]?keys?|(?:shared|secret)[ _.-]?access[ _.-]?key|密钥|密鑰|秘钥|密匙|私钥)$/
/** In `arn:aws:secretsmanager:…:secret:name` it is a part of an id. */
const SECRET = /(?:(?:^|[^:/a-z])[a-z]*secret|[?&]sig)$/
const TOKEN = /(?:token|令牌)$/
/** Places in a list, marks of forms, parts of speech: they let nobody in. */
const HARMLESS_TOKEN =
  /(?:page|next|prev(?:ious)?|continuation|sync|cursor|start|resume|end|stop|first|last|current|csrf|xsrf|idempotency|request|device|push|pad|eos|bos|unk|cls|sep|mask|special|max|min|total|per|per[ _-]?1k|input|output|prompt|completion|cached)[ _.-]?token$/
