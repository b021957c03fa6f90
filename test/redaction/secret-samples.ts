/**
 * Secrets as people paste them, of the kinds that an outside set was made of. All are put together when a test runs:
 * written out, the scanners of code hosts would take them for real ones. Drawn by lot, and the same ones every time.
 */

const DIGITS = '0123456789'
const LOWER = 'abcdefghijklmnopqrstuvwxyz'
const UPPER = LOWER.toUpperCase()
const ALPHANUMERIC = UPPER + LOWER + DIGITS
const WORD = `${ALPHANUMERIC}_-`
const HEX = `${DIGITS}abcdef`
const BASE64 = `${ALPHANUMERIC}+/`
const LOWER_DIGITS = LOWER + DIGITS
const UPPER_DIGITS = UPPER + DIGITS

export interface SecretSample {
  readonly name: string
  readonly text: string
  /** None of these may be left. */
  readonly secrets: readonly string[]
}

class Lot {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  draw(length: number, alphabet = ALPHANUMERIC): string {
    let text = ''
    while (text.length < length) {
      this.#state = (Math.imul(this.#state, 1664525) + 1013904223) >>> 0
      text += alphabet[(this.#state >>> 8) % alphabet.length]
    }
    return text
  }

  uuid(): string {
    return [8, 4, 4, 4, 12].map(length => this.draw(length, HEX)).join('-')
  }
}

/** By what they begin with: pieces of the prefix, the length of the rest, and what it is made of. */
const PREFIXED: readonly (readonly [
  name: string,
  prefix: readonly string[],
  length: number,
  alphabet?: string,
])[] = [
  ['OpenAI', ['sk', '-proj-'], 120, WORD],
  ['OpenAI service account', ['sk', '-svcacct-'], 74, WORD],
  ['Anthropic', ['sk-', 'ant-', 'api03-'], 93, WORD],
  ['LangSmith service', ['ls', 'v2_', 'sk_'], 43, HEX],
  ['ElevenLabs', ['sk', '_'], 48, HEX],
  ['Netlify', ['nf', 'p_'], 36],
  ['Vercel personal', ['vc', 'p_'], 56],
  ['Vercel gateway', ['vc', 'k_'], 56],
  ['Fly', ['fo', '1_'], 43, WORD],
  ['Fly macaroon', ['fm', '2_'], 160, BASE64],
  ['Facebook page', ['EA', 'AB'], 170],
  ['Facebook user', ['EA', 'AG'], 190],
  ['Instagram', ['IG', 'QV'], 150],
  ['Cerebras', ['cs', 'k-'], 48, LOWER_DIGITS],
  ['Fireworks', ['fw', '_'], 24],
  ['Together', ['tg', 'p_v1_'], 43, WORD],
  ['LlamaCloud', ['ll', 'x-'], 48],
  ['Firecrawl', ['f', 'c-'], 32, HEX],
  ['E2B', ['e2', 'b_'], 40, HEX],
  ['Voyage', ['p', 'a-'], 43, WORD],
  ['Resend', ['r', 'e_'], 32],
  ['Neon', ['na', 'pi_'], 64, LOWER_DIGITS],
  ['Neon password', ['np', 'g_'], 12],
  ['Render', ['rn', 'd_'], 32],
  ['Buildkite', ['bk', 'ua_'], 40, HEX],
  ['CircleCI', ['CCI', 'PAT_'], 62],
  ['Typeform', ['tf', 'p_'], 59, WORD],
  ['Sourcegraph', ['sg', 'p_'], 40, HEX],
  ['SonarQube', ['sq', 'u_'], 40, HEX],
  ['Prefect', ['pn', 'u_'], 36, LOWER_DIGITS],
  ['ReadMe', ['rd', 'me_'], 70, LOWER_DIGITS],
  ['Shippo', ['ship', 'po_live_'], 40, HEX],
  ['Duffel', ['duf', 'fel_live_'], 43, WORD],
  ['Flutterwave', ['FLW', 'SECK_TEST-'], 32, HEX],
  ['EasyPost', ['EZ', 'AK'], 54],
  ['Clojars', ['CLO', 'JARS_'], 60, HEX],
  ['NuGet', ['o', 'y2'], 43, LOWER_DIGITS],
  ['Heroku', ['HR', 'KU-AA'], 58, WORD],
  ['Trello', ['AT', 'TA'], 72, HEX],
  ['Bedrock', ['AB', 'SK'], 128, BASE64],
  ['OpenShift', ['sha', '256~'], 43, WORD],
  ['Infracost', ['ic', 'o-'], 32],
  ['Dropbox', ['s', 'l.'], 140, WORD],
  ['Matrix', ['sy', 't_'], 44],
  ['DingTalk signing', ['SE', 'C'], 64, HEX],
  ['Yandex', ['AQ', 'VN'], 38, WORD],
  ['Browserbase', ['bb', '_live_'], 27, WORD],
  ['GitLab runner', ['GR', '1348941'], 20, WORD],
  ['Slack user', ['xo', 'xp-'], 72, WORD],
  ['GitHub classic', ['gh', 'p_'], 36],
  ['GitLab', ['gl', 'pat-'], 20, WORD],
  ['npm', ['np', 'm_'], 36],
  ['Stripe', ['sk', '_live_'], 99],
  ['Google', ['AI', 'za'], 35, WORD],
  ['Mapbox', ['sk', '.eyJ'], 80],
  ['Hugging Face', ['h', 'f_'], 34],
  ['Replicate', ['r', '8_'], 37],
  ['xAI', ['x', 'ai-'], 80],
  ['Linear', ['lin', '_api_'], 40],
  ['Airtable', ['pa', 't'], 14],
]

/** Keys in a form of their own. */
const FORMED: readonly (readonly [name: string, make: (lot: Lot) => string])[] = [
  ['LangSmith', lot => `ls${'v2_'}pt_${lot.draw(32, HEX)}_${lot.draw(10, HEX)}`],
  ['Pinecone', lot => `pc${'sk_'}${lot.draw(6)}_${lot.draw(63)}`],
  [
    '1Password secret key',
    lot => ['A3', ...[6, 6, 5, 5, 5, 5].map(n => lot.draw(n, UPPER_DIGITS))].join('-'),
  ],
  ['1Password service account', lot => `op${'s_'}ey${'J'}${lot.draw(250, BASE64)}`],
  ['Facebook app', lot => `${lot.draw(15, '123456789')}|${lot.draw(27, WORD)}`],
  ['Langfuse', lot => `sk-${'lf-'}${lot.uuid()}`],
  ['HubSpot', lot => `pat-${'na1-'}${lot.uuid()}`],
  ['Mailchimp', lot => `${lot.draw(32, HEX)}-us${'14'}`],
  ['Plaid', lot => `access-${'production-'}${lot.uuid()}`],
  ['LaunchDarkly', lot => `sdk-${lot.uuid()}`],
  ['Dynatrace', lot => `dt0${'c01'}.${lot.draw(24, UPPER_DIGITS)}.${lot.draw(64, UPPER_DIGITS)}`],
  ['MaxMind', lot => `${lot.draw(6)}_${lot.draw(29)}_${'mmk'}`],
  ['ClickUp', lot => `pk_${lot.draw(8, DIGITS)}_${lot.draw(32, UPPER_DIGITS)}`],
  ['Harness', lot => `pat.${lot.draw(22)}.${lot.draw(24, HEX)}.${lot.draw(20)}`],
  ['Azure OpenAI', lot => `${lot.draw(52)}${'JQQJ'}99${lot.draw(26)}`],
  [
    'JSON Web Token',
    lot => `ey${'J'}hbGciOi${lot.draw(25)}.ey${'J'}${lot.draw(80, WORD)}.${lot.draw(43, WORD)}`,
  ],
]

const PASSWORDS = ['hunter22', 'Tr0ub4dor&3', 'Blumen2024!', 'correct-horse-9', 'p4ssw0rt#1']

/** Where a password `{P}` stands, as people tell it in their own language. */
const SAID: readonly (readonly [language: string, text: string])[] = [
  ['English', 'password:\n{P}'],
  ['English', 'Password:\n\n  {P}\n\nthanks'],
  ['English', 'login: bob\npassword:\n`{P}`'],
  ['English', 'the wifi password is {P}'],
  ['English', 'pw: {P}'],
  ['English', 'my passcode is {P}, ok?'],
  ['French', 'mot de passe : {P}'],
  ['French', 'Mon mot de passe est {P}.'],
  ['French', 'le mdp : {P}'],
  ['French', 'Mot de passe :\n{P}'],
  ['German', 'Passwort: {P}'],
  ['German', 'Das Passwort ist {P}, danke'],
  ['German', 'das Kennwort lautet {P}'],
  ['Spanish', 'contraseña: {P}'],
  ['Spanish', 'la contraseña es {P}.'],
  ['Spanish', 'clave de acceso: {P}'],
  ['Portuguese', 'senha: {P}'],
  ['Portuguese', 'a senha é {P}'],
  ['Portuguese', 'palavra-passe: {P}'],
  ['Italian', 'la password è {P}'],
  ['Italian', 'parola d’ordine: {P}'],
  ['Dutch', 'wachtwoord: {P}'],
  ['Dutch', 'het wachtwoord is {P}'],
  ['Polish', 'hasło: {P}'],
  ['Polish', 'hasło to {P}'],
  ['Czech', 'heslo: {P}'],
  ['Swedish', 'lösenord: {P}'],
  ['Danish', 'adgangskode: {P}'],
  ['Finnish', 'salasana: {P}'],
  ['Hungarian', 'jelszó: {P}'],
  ['Romanian', 'parolă: {P}'],
  ['Greek', 'κωδικός: {P}'],
  ['Russian', 'пароль: {P}'],
  ['Russian', 'пароль — {P}'],
  ['Russian', 'пароль от вайфая: {P}'],
  ['Ukrainian', 'пароль такий: {P}'],
  ['Turkish', 'şifre: {P}'],
  ['Turkish', 'wifi şifresi: {P}'],
  ['Turkish', 'parola: {P}'],
  ['Arabic', 'كلمة المرور: {P}'],
  ['Arabic', 'كلمة السر هي {P}'],
  ['Persian', 'رمز عبور: {P}'],
  ['Hebrew', 'סיסמה: {P}'],
  ['Hindi', 'पासवर्ड: {P}'],
  ['Hindi', 'पासवर्ड है {P}'],
  ['Bengali', 'পাসওয়ার্ড: {P}'],
  ['Japanese', 'パスワード：{P}'],
  ['Japanese', 'パスワードは{P}です'],
  ['Japanese', '暗証番号は {P} です'],
  ['Korean', '비밀번호: {P}'],
  ['Korean', '비밀번호는 {P} 입니다'],
  ['Korean', '비번 {P}'],
  ['Chinese', '密码是 {P}'],
  ['Chinese', '密码：\n{P}'],
  ['Chinese, traditional', '密碼：{P}'],
  ['Vietnamese', 'mật khẩu: {P}'],
  ['Vietnamese', 'mật khẩu là {P}'],
  ['Thai', 'รหัสผ่าน: {P}'],
  ['Indonesian', 'kata sandi: {P}'],
  ['Malay', 'kata laluan: {P}'],
]

/** Where a password `{P}`, a drawn key or one that is written out stands in commands and files. */
const WRITTEN: readonly (readonly [name: string, text: string])[] = [
  ['curl', 'curl -u bob:{P} https://api.corp.dev/v1'],
  ['curl, quoted', "curl -s -u 'bob:{P}' https://api.corp.dev"],
  ['curl, long', 'curl --user bob:{P} -X POST https://api.corp.dev'],
  ['curl, proxy', 'curl -U bob:{P} -x http://proxy:3128 https://a.dev'],
  ['wget', 'wget --http-password={P} --http-user=bob https://a.dev/x'],
  ['mysql', 'mysql -u root -p{P} shop'],
  ['mysql, quoted', "mysql -uroot -p'{P}' shop < dump.sql"],
  ['mysqldump', 'mysqldump -h db -u root -p{P} --all-databases'],
  ['sshpass', 'sshpass -p {P} ssh root@10.0.0.5'],
  ['sshpass, quoted', "sshpass -p '{P}' scp a b:/c"],
  ['redis-cli', 'redis-cli -h cache -a {P} ping'],
  ['docker login', 'docker login -u bob -p {P} registry.corp.dev'],
  ['htpasswd', 'htpasswd -b /etc/nginx/.htpasswd bob {P}'],
  ['psql', 'PGPASSWORD={P} psql -h db -U app'],
  ['net use', 'net use Z: \\\\files\\share /user:bob {P}'],
  ['openssl', 'openssl enc -aes-256-cbc -in a -out b -pass pass:{P}'],
  ['netrc', 'machine api.corp.dev login bob password {P}'],
  ['netrc, in lines', 'machine api.corp.dev\n  login bob\n  password {P}\n'],
  ['docker config', '{"auths":{"registry.corp.dev":{"auth":"{B}"}}}'],
  ['docker config, in lines', '"registry.corp.dev": {\n  "auth": "{B}"\n}'],
  ['npmrc', '//registry.npmjs.org/:_authToken={U}'],
  ['npmrc, basic', '//npm.corp.dev/:_auth={B}'],
  ['npmrc, password', '//npm.corp.dev/:_password={B}'],
  ['pgpass', 'db.corp.dev:5432:shop:app:{P}'],
  ['SECRET_KEY', 'SECRET_KEY={K}'],
  ['SECRET_KEY of Django', "SECRET_KEY = 'django-insecure-{S}'"],
  ['SECRET_KEY, short', 'SECRET_KEY={P}'],
  ['SESSION_SECRET', 'SESSION_SECRET={keyboardcat42}'],
  ['SESSION_SECRET, long', 'SESSION_SECRET={K}'],
  ['JWT_SECRET', 'JWT_SECRET="{P}"'],
  ['MAIL_PASS', 'MAIL_PASS={P}'],
  ['SMTP_PASS', 'SMTP_PASS={P}'],
  ['DB_PASS', 'export DB_PASS={P}'],
  ['MAIL_PASS, letters', 'MAIL_PASS={abcdwxyzefgh}'],
  ['APP_KEY of Laravel', 'APP_KEY=base64:{B}'],
  ['NEXTAUTH_SECRET', 'NEXTAUTH_SECRET={B}'],
  ['ENCRYPTION_KEY', 'ENCRYPTION_KEY={H}'],
  ['COOKIE_SECRET', 'COOKIE_SECRET: {P}'],
  ['RAILS_MASTER_KEY', 'RAILS_MASTER_KEY={H}'],
  ['client secret in YAML', 'client_secret: {K}'],
  ['Vercel by its name', 'VERCEL_TOKEN={K}'],
  ['Datadog', 'DD_API_KEY={H}'],
  ['Cloudflare', 'CF_API_TOKEN={K}'],
  ['Algolia', 'ALGOLIA_ADMIN_KEY={H}'],
  ['Weights & Biases', 'WANDB_API_KEY={H}'],
  ['Kubernetes', 'kind: Secret\ndata:\n  password: {B}'],
  ['X-Auth-Token', 'X-Auth-Token: {K}'],
  ['cookie', 'Cookie: session={K}; theme=dark'],
  ['Mongo', 'mongodb://app:{p@ss/w0rd}@db.corp.dev:27017/shop'],
  ['Mongo with a hash', 'mongodb+srv://app:{p#ssw0rd9}@c0.corp.dev/shop'],
  ['Postgres with a slash', 'postgresql://app:{ab/cd3f}@db.corp.dev/shop'],
  ['Redis', 'redis://default:{P}@cache.corp.dev:6379'],
  ['AMQP', 'amqps://bob:{P}@mq.corp.dev/vhost'],
  ['SMTP', 'smtp://bob%40corp.dev:{P}@mail.corp.dev:587'],
  ['git', 'git clone https://bob:{U}@github.com/corp/repo.git'],
  ['git, token alone', 'git clone https://{U}@github.com/corp/repo.git'],
  ['JDBC', 'jdbc:mysql://db/shop?user=app&password={P}'],
  ['ADO', 'Server=db;Uid=app;Pwd={P};'],
  ['AWS in two lines', 'aws_access_key_id = {I}\naws_secret_access_key = {A}'],
  ['AWS secret on the next line', 'Secret access key:\n{A}'],
  ['API key on the next line', 'API key:\n{K}'],
  ['token on the next line', 'Here is the token:\n\n{K}\n'],
  ['Basic', 'Authorization: Basic {B}'],
  ['two-factor seed', 'otpauth://totp/Corp:bob?secret={O}&issuer=Corp'],
  ['Wi-Fi code', 'WIFI:T:WPA;S:Home;P:{P};;'],
]

const ZERO_WIDTH = ['\u200b', '\u200d', '\u2060', '\ufeff', '\u00ad']

function fullWidth(text: string): string {
  return Array.from(text, character => {
    const code = character.charCodeAt(0)
    return code > 32 && code < 127 ? String.fromCharCode(code + 0xfee0) : character
  }).join('')
}

function inside(text: string, mark: string, every: number): string {
  return text.replace(new RegExp(`(.{${every}})(?=.)`, 'gu'), `$1${mark}`)
}

function hidden(): readonly SecretSample[] {
  const lot = new Lot(77)
  const keys: readonly (readonly [string, string])[] = [
    ['OpenAI', `sk-${'proj'}-${lot.draw(60)}`],
    ['GitHub', `gh${'p_'}${lot.draw(36)}`],
    ['AWS', `AK${'IA'}7K${lot.draw(14, UPPER_DIGITS)}`],
    ['Slack', `xo${'xb-'}${lot.draw(40)}`],
  ]
  return keys.flatMap(([name, key], index) => {
    const mark = ZERO_WIDTH[index % ZERO_WIDTH.length]!
    const later = ZERO_WIDTH[(index + 2) % ZERO_WIDTH.length]!
    return [
      sample(`${name} behind a mark`, `${mark}${key}`, key),
      sample(`${name} with a mark in the prefix`, key.replace(/^(..)/, `$1${mark}`), key.slice(4)),
      sample(`${name} with marks inside`, `use ${inside(key, later, 7)} now`, inside(key, later, 7).slice(4)),
      sample(`${name} in full width`, `钥匙 ${fullWidth(key)} 请保密`, fullWidth(key).slice(4)),
      sample(`${name} glued to a word`, `token${key}`, key.slice(4)),
      sample(`${name} glued to letters of another script`, `клюк${key}ключ`, key.slice(4)),
      sample(`${name} glued by an underscore`, `my_${key}`, key.slice(4)),
    ]
  })
}

function armoured(): readonly SecretSample[] {
  const lot = new Lot(99)
  const lines = Array.from({ length: 12 }, () => lot.draw(64, BASE64))
  const last = `${lot.draw(30, BASE64)}==`
  const dashes = '-'.repeat(5)
  const footer = `${dashes}END RSA PRIVATE ${'KEY'}${dashes}`
  const der = `MII${'Eow'}IBAAKCAQEA${lot.draw(48, BASE64)}`
  const openssh = `b3BlbnNzaC1rZXkt${'djEAAAAA'}${lot.draw(46, BASE64)}`
  const putty = (version: number) =>
    [
      `PuTTY-User-Key-File-${version}: ssh-rsa`,
      'Encryption: none',
      'Comment: bob@laptop',
      'Public-Lines: 2',
      lot.draw(64, BASE64),
      lot.draw(40, BASE64),
      `Private-${'Lines'}: 4`,
      ...lines.slice(0, 4),
      `Private-MAC: ${lot.draw(64, HEX)}`,
    ].join('\n')
  return [
    { name: 'PuTTY 2', text: putty(2), secrets: lines.slice(0, 4) },
    { name: 'PuTTY 3', text: `Here:\n${putty(3)}\nthanks`, secrets: lines.slice(0, 4) },
    { name: 'a body with its last line only', text: [...lines, last, footer].join('\n'), secrets: lines },
    {
      name: 'a body alone, of RSA',
      text: ['my key:', der, ...lines, last].join('\n'),
      secrets: [der, ...lines],
    },
    { name: 'a body alone, of OpenSSH', text: [openssh, ...lines, last].join('\n'), secrets: lines },
    {
      name: 'a whole key',
      text: [footer.replace('END', 'BEGIN'), der, ...lines, last, footer].join('\n'),
      secrets: [der, ...lines],
    },
    {
      name: 'a whole key in a variable',
      text: `KEY="${[footer.replace('END', 'BEGIN'), der, ...lines, footer].join('\\n')}"`,
      secrets: [der, ...lines],
    },
  ]
}

function sample(name: string, text: string, ...secrets: readonly string[]): SecretSample {
  return { name, text, secrets }
}

function fill(name: string, text: string, index: number): SecretSample {
  const lot = new Lot(1_000 + index)
  const values: Readonly<Record<string, string>> = {
    P: PASSWORDS[index % PASSWORDS.length]!,
    K: lot.draw(40),
    H: lot.draw(32, HEX),
    B: btoa(`bob:${lot.draw(20)}`),
    U: lot.uuid(),
    A: lot.draw(40, BASE64),
    I: `AK${'IA'}${lot.draw(16, UPPER_DIGITS)}`,
    S: `${lot.draw(30, `${LOWER_DIGITS}!@#$%^&*(-_=+)`)}`,
    O: lot.draw(32, `${UPPER}234567`),
  }
  const secrets: string[] = []
  const filled = text.replace(/\{([^{}"\n]+)\}/g, (_, place: string) => {
    secrets.push(values[place] ?? place)
    return values[place] ?? place
  })
  return { name, text: filled, secrets }
}

export function secretSamples(): readonly SecretSample[] {
  const frames: readonly ((secret: string) => string)[] = [
    secret => secret,
    secret => `here you go: ${secret}, don't share it`,
    secret => `用这个：${secret}。`,
    secret => `\`${secret}\``,
  ]
  return [
    ...PREFIXED.map(([name, prefix, length, alphabet], index) => {
      const rest = new Lot(index + 1).draw(length, alphabet)
      const dotted = name === 'Airtable' ? `${rest}.${new Lot(5).draw(64, HEX)}` : rest
      const tail = name === 'Mapbox' ? `${rest}.${new Lot(6).draw(22)}` : dotted
      return sample(name, frames[index % frames.length]!(prefix.join('') + tail), rest)
    }),
    ...FORMED.map(([name, make], index) => {
      const secret = make(new Lot(500 + index))
      return sample(name, frames[index % frames.length]!(secret), secret.slice(-12))
    }),
    ...SAID.map(([language, text], index) =>
      fill(`said in ${language}: ${text.replaceAll('\n', '\\n')}`, text, index),
    ),
    ...WRITTEN.map(([name, text], index) => fill(name, text, 100 + index)),
    ...hidden(),
    ...armoured(),
  ]
}

export function isLeaked({ secrets }: SecretSample, redacted: string): boolean {
  return secrets.some(secret => redacted.includes(secret))
}
