import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { redactSecrets } from './secrets.ts'

const DIGITS = '0123456789'
const LOWER = 'abcdefghijklmnopqrstuvwxyz'
const UPPER = LOWER.toUpperCase()
const LETTERS = UPPER + LOWER + DIGITS
const WORD = `${LETTERS}_-`
const HEX = `${DIGITS}abcdef`
const BASE64 = `${LETTERS}+/`
const CAPITALS = `${UPPER}234567`

/**
 * Secrets are made when the tests run: written out here, scanners would take them for real ones. Drawn by lot, but for a digit and two letters at the beginning, as nearly all have them
 * somewhere; the same ones every time.
 */
function draw(length: number, alphabet = LETTERS, seed = 7): string {
  const start = ['7', 'c', 'K'].filter(character => alphabet.includes(character)).join('')
  let [text, state] = [start, seed * 2654435761]
  while (text.length < length) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    text += alphabet[(state >>> 8) % alphabet.length]
  }
  return text.slice(0, length)
}

function privateKey(kind = 'RSA ', lineEnd = '\n', lines = 6): string {
  const body = Array.from({ length: lines }, (_, index) => draw(64, BASE64, index + 1))
  const dashes = '-'.repeat(5)
  return [
    `${dashes}BEGIN ${kind}PRIVATE KEY${dashes}`,
    ...body,
    `${draw(22, BASE64)}==`,
    `${dashes}END ${kind}PRIVATE KEY${dashes}`,
  ].join(lineEnd)
}

/** With the check digit that Luhn asks for. */
function cardNumber(prefix: string, length = 16): string {
  const digits = (prefix + draw(length, DIGITS)).slice(0, length - 1)
  const check = Array.from(DIGITS).find(digit => passes(digits + digit))
  return digits + check
}

function passes(digits: string): boolean {
  const sum = Array.from(digits)
    .reverse()
    .map(Number)
    .map((digit, place) => (place % 2 === 1 ? (digit * 2 > 9 ? digit * 2 - 9 : digit * 2) : digit))
    .reduce((total, digit) => total + digit, 0)
  return sum % 10 === 0
}

function inFours(digits: string, separator: string): string {
  return digits.replace(/(.{4})(?=.)/g, `$1${separator}`)
}

function fullWidth(digits: string): string {
  return digits.replace(/\d/g, digit => String.fromCharCode(digit.charCodeAt(0) + 0xfee0))
}

/** Whatever stands around it. */
const FRAMES: Readonly<Record<string, (secret: string) => string>> = {
  alone: secret => secret,
  'in English': secret => `Sure, here it is: ${secret} — please keep it to yourself.`,
  'in Chinese': secret => `好的，发给你：${secret}，别告诉别人🙂。`,
  'in Chinese without blanks': secret => `这个是${secret}哦`,
  'in JSON': secret => JSON.stringify({ note: secret, count: 3 }),
  'in JSON inside of JSON': secret => JSON.stringify({ body: JSON.stringify({ note: secret }) }),
  'in a block of code': secret => `Try this:\n\`\`\`sh\nrun ${secret}\n\`\`\`\nDone.`,
  'in code': secret => `const it = '${secret}'; // remove\r\nnext()`,
  'at the start': secret => `${secret} is what I use`,
  'at the end': secret => `what I use is ${secret}`,
  'between brackets': secret => `(${secret})`,
  'at the end of a sentence': secret => `It is ${secret}. And so on.`,
}

/** What it becomes, and how it is made. */
const KINDS: readonly (readonly [name: string, marker: string, secret: string])[] = [
  ['OpenAI', 'API key', `sk-${draw(48)}`],
  ['OpenAI, of a project', 'API key', `sk-proj-${draw(120, WORD)}`],
  ['Anthropic', 'API key', `sk-ant-api03-${draw(93, WORD)}AA`],
  ['DeepSeek', 'API key', `sk-${draw(32, HEX)}`],
  ['OpenRouter', 'API key', `sk-or-v1-${draw(64, HEX)}`],
  ['Groq', 'API key', `gsk_${draw(52)}`],
  ['Zhipu', 'API key', `${draw(32, HEX)}.${draw(16)}`],
  ['GitHub, personal', 'token', `ghp_${draw(36)}`],
  ['GitHub, OAuth', 'token', `gho_${draw(36)}`],
  ['GitHub, server', 'token', `ghs_${draw(36)}`],
  ['GitHub, fine-grained', 'token', `github_pat_${draw(22)}_${draw(59)}`],
  ['GitLab', 'token', `glpat-${draw(20, WORD)}`],
  ['Slack, bot', 'token', `xoxb-${draw(12, '0123456789')}-${draw(12, '0123456789')}-${draw(24)}`],
  ['Slack, app', 'token', `xapp-1-A${draw(10, CAPITALS)}-${draw(13, '0123456789')}-${draw(64, HEX)}`],
  ['AWS, id', 'API key', `AKIA${draw(16, CAPITALS)}`],
  ['AWS, id without digits', 'API key', `ASIA${'QWERTZUIOPASDFGH'}`],
  ['Alibaba', 'API key', `LTAI5t${draw(18)}`],
  ['Tencent', 'API key', `AKID${draw(32)}`],
  ['Google', 'API key', `AIza${draw(35, WORD)}`],
  ['Google, OAuth', 'token', `ya29.${draw(60, WORD)}`],
  ['Google, refresh', 'token', `1//0${draw(60, WORD)}`],
  ['Google, client', 'secret', `GOCSPX-${draw(28, WORD)}`],
  ['Stripe', 'API key', `sk_live_${draw(24)}`],
  ['Stripe, restricted', 'API key', `rk_live_${draw(24)}`],
  ['Stripe, webhook', 'secret', `whsec_${draw(32)}`],
  ['Telegram', 'token', `123456789:AA${draw(33, WORD)}`],
  ['Discord', 'token', `${btoa('123456789012345678')}.${draw(6, WORD)}.${draw(38, WORD)}`],
  ['npm', 'token', `npm_${draw(36)}`],
  ['PyPI', 'token', `pypi-AgEIcHlwaS5vcmc${draw(80, WORD)}`],
  ['Hugging Face', 'token', `hf_${draw(34)}`],
  ['SendGrid', 'API key', `SG.${draw(22, WORD)}.${draw(43, WORD)}`],
  ['Twilio', 'API key', `SK${draw(32, HEX)}`],
  ['DigitalOcean', 'token', `dop_v1_${draw(64, HEX)}`],
  ['Azure, application', 'secret', `aB3${'8Q~'}${draw(32, LETTERS)}`],
  ['Databricks', 'token', `dapi${draw(32, HEX)}`],
  ['Shopify', 'token', `shpat_${draw(32, HEX)}`],
  ['HashiCorp', 'token', `hvs.${draw(90, WORD)}`],
  ['JSON Web Token', 'token', `eyJ${draw(33, WORD)}.eyJ${draw(70, WORD)}.${draw(43, WORD)}`],
  ['a card', 'card number', inFours(cardNumber('4'), ' ')],
  ['a card with dashes', 'card number', inFours(cardNumber('5457'), '-')],
  ['a card without blanks', 'card number', cardNumber('5457')],
  ['a card of full width', 'card number', fullWidth(inFours(cardNumber('4'), ' '))],
  ['American Express', 'card number', cardNumber('37', 15).replace(/^(.{4})(.{6})/, '$1 $2 ')],
  ['JCB', 'card number', cardNumber('3566')],
  ['UnionPay in fours', 'card number', inFours(cardNumber('6222', 19), ' ')],
]

describe.for(KINDS)('%s', ([, kind, secret]) => {
  test.for(Object.entries(FRAMES))('%s', ([, frame]) => {
    expect(redactSecrets(frame(secret))).toBe(frame(`[redacted: ${kind}]`))
  })
})

/** What stands around belongs to it: the text, and what it becomes. */
const WITH_NAMES: readonly (readonly [text: string, redacted: string])[] = [
  // Passwords, in configurations.
  ['password=hunter22', 'password=[redacted: password]'],
  ['DB_PASSWORD=correcthorse', 'DB_PASSWORD=[redacted: password]'],
  ['export PGPASSWORD="Tr0ub4dor&3"', 'export PGPASSWORD="[redacted: password]"'],
  ['  password: "s3cret!"  # prod', '  password: "[redacted: password]"  # prod'],
  ['"password": "letmein",', '"password": "[redacted: password]",'],
  ['{\\"password\\":\\"hunter22\\",\\"a\\":1}', '{\\"password\\":\\"[redacted: password]\\",\\"a\\":1}'],
  ['<password>hunter22</password>', '<password>[redacted: password]</password>'],
  [`const password: string = 'abc123!'`, `const password: string = '[redacted: password]'`],
  [`config['password'] = 'abc123!'`, `config['password'] = '[redacted: password]'`],
  ['?user=bob&password=hunter22&page=3', '?user=bob&password=[redacted: password]&page=3'],
  ['mysql --password hunter22 -u root', 'mysql --password [redacted: password] -u root'],
  ['Server=db;User Id=sa;Password=P@ssw0rd!;', 'Server=db;User Id=sa;Password=[redacted: password];'],
  // In words.
  ['user: bob / pass: hunter22', 'user: bob / pass: [redacted: password]'],
  ['The password is hunter22.', 'The password is [redacted: password].'],
  [
    'the password is hunter22 and the user is root',
    'the password is [redacted: password] and the user is root',
  ],
  ['password for the wifi is hunter22!', 'password for the wifi is [redacted: password]'],
  ['**Password:** hunter22', '**Password:** [redacted: password]'],
  ['**Password**: `hunter22`', '**Password**: `[redacted: password]`'],
  ['My password: 4711 4712', 'My password: [redacted: password] 4712'],
  ['密码：abc12345', '密码：[redacted: password]'],
  ['登录密码是“Abc12345”，请保密', '登录密码是“[redacted: password]”，请保密'],
  ['WiFi密码 88888888，随便用', 'WiFi密码 [redacted: password]，随便用'],
  ['密码：１２３４５６', '密码：[redacted: password]'],
  ['账号：bob，口令：qwe123!@#。', '账号：bob，口令：[redacted: password]。'],
  ['Passwort: geheim123', 'Passwort: [redacted: password]'],
  // In addresses.
  ['postgres://bob:s3cr@t@db.local:5432/x?y=1', 'postgres://bob:[redacted: password]@db.local:5432/x?y=1'],
  ['redis://:abcdef@cache:6379/0', 'redis://:[redacted: password]@cache:6379/0'],
  [
    '连接串mongodb+srv://root:Q1w2e3@c0.mongodb.net/db。',
    '连接串mongodb+srv://root:[redacted: password]@c0.mongodb.net/db。',
  ],
  // Headers.
  ['Authorization: Bearer abcdefgh12345', 'Authorization: Bearer [redacted: token]'],
  ['Authorization: Bearer abc123def.ghi456jkl', 'Authorization: Bearer [redacted: token]'],
  ['authorization: Basic dXNlcjpwYXNz', 'authorization: Basic [redacted: token]'],
  [
    `curl -H "Authorization: Bearer ${draw(40)}" https://a.b`,
    'curl -H "Authorization: Bearer [redacted: token]" https://a.b',
  ],
  [`sent Bearer ${draw(40, WORD)} along`, 'sent Bearer [redacted: token] along'],
  [`X-Api-Key: ${draw(32, HEX)}`, 'X-Api-Key: [redacted: API key]'],
  // Keys by their names.
  [`api_key: "${draw(32, HEX)}"`, 'api_key: "[redacted: API key]"'],
  [`"apiKey":"${draw(24)}"`, '"apiKey":"[redacted: API key]"'],
  [
    `aws_secret_access_key = ${draw(19, BASE64)}/${draw(20, BASE64)}`,
    'aws_secret_access_key = [redacted: API key]',
  ],
  [`AKIA${draw(16, CAPITALS)},${draw(40)}`, '[redacted: API key],[redacted: secret]'],
  [`Secret access key: ${draw(40)}`, 'Secret access key: [redacted: API key]'],
  [`AccountKey=${draw(86, BASE64)}==;EndpointSuffix=x`, 'AccountKey=[redacted: API key];EndpointSuffix=x'],
  [
    `https://a.blob.core.windows.net/b?sv=1&sig=${draw(40)}%3D&se=2`,
    'https://a.blob.core.windows.net/b?sv=1&sig=[redacted: secret]&se=2',
  ],
  [
    `{"app_id":"cli_a1b2c3d4e5f6g7h8","app_secret":"${draw(32)}"}`,
    '{"app_id":"cli_a1b2c3d4e5f6g7h8","app_secret":"[redacted: secret]"}',
  ],
  [`tenant_access_token: t-${draw(36)}`, 'tenant_access_token: [redacted: token]'],
  [`TWILIO_AUTH_TOKEN=${draw(32, HEX)}`, 'TWILIO_AUTH_TOKEN=[redacted: token]'],
  [`client_secret: '${draw(12)}'`, `client_secret: '[redacted: secret]'`],
  [`密钥：${draw(32)}`, '密钥：[redacted: API key]'],
  [`my API key is ${draw(32, HEX)}, ok?`, 'my API key is [redacted: API key], ok?'],
  [`密钥是${draw(40)}。`, '密钥是[redacted: API key]。'],
  // Addresses of webhooks.
  [
    `https://hooks.slack.com/services/T0ABCDEF1/B0ABCDEF1/${draw(24)}`,
    'https://hooks.slack.com/services/T0ABCDEF1/B0ABCDEF1/[redacted: secret]',
  ],
  [
    `https://discord.com/api/webhooks/123456789012345678/${draw(68, WORD)}`,
    'https://discord.com/api/webhooks/123456789012345678/[redacted: secret]',
  ],
  [
    'https://open.feishu.cn/open-apis/bot/v2/hook/0a1b2c3d-4e5f-6a7b-8c9d-0e1f2a3b4c5d',
    'https://open.feishu.cn/open-apis/bot/v2/hook/[redacted: secret]',
  ],
  [
    `https://api.telegram.org/bot123456789:AA${draw(33, WORD)}/getMe`,
    'https://api.telegram.org/bot[redacted: token]/getMe',
  ],
  // Cards, with what stands beside them.
  [`卡号${fullWidth(cardNumber('6222', 19))}，姓名张三`, '卡号[redacted: card number]，姓名张三'],
  [`card number ${cardNumber('6222', 19)}`, 'card number [redacted: card number]'],
  [`${inFours(cardNumber('4'), ' ')} 12/27 123`, '[redacted: card number] 12/27 123'],
  [`I paid with ${cardNumber('4')}`, 'I paid with [redacted: card number]'],
  [`the user sent ${cardNumber('4')}`, 'the user sent [redacted: card number]'],
  [`card no: ${cardNumber('4')}`, 'card no: [redacted: card number]'],
  [`{"number":"${cardNumber('4')}"}`, '{"number":"[redacted: card number]"}'],
  [`cc ${cardNumber('36', 14)}`, 'cc [redacted: card number]'],
]

test.for(WITH_NAMES)('%s', ([text, redacted]) => {
  expect(redactSecrets(text)).toBe(redacted)
})

/** Exact details that have to survive, and talk about secrets. */
const NEAR_MISSES: readonly string[] = [
  // Prose.
  'the password is wrong',
  'The password is case-sensitive and must have 8-20 characters.',
  'password: required',
  'Password: at least 8 characters',
  'password: 8-20 characters',
  'I forgot my password: what now?!',
  'Password: see README.md or ask admin@corp.dev',
  'password reset: https://corp.dev/reset?step=2',
  'My password is SHA256 hashed',
  'password: argon2id',
  'Last password change: 2026-01-15',
  'password policy: v1.2.3',
  'The API key is in the vault, the token expires: soon',
  'Basic authentication is required, Bearer of bad news',
  'secret: nobody knows',
  '密码错误，请重试',
  '密码：8位以上',
  '密码长度6-20位，需包含数字',
  '忘记密码：请点击这里',
  '密码是什么？',
  '命令：ls -la',
  '忘记密码windows10怎么办',
  '改密码 iphone15 教程',
  '红包口令：12345678',
  'pass: 12, fail: 3',
  'bypass: abc123',
  // Programs.
  'password: string',
  'password: string | null',
  'password = getPassword()',
  'password=os.environ["DB_PASSWORD"]',
  'password = process.env.DB_PASSWORD',
  'PASSWORD=$DB_PASSWORD',
  'password: $' + '{{ secrets.DB_PASSWORD }}',
  'password: <password>',
  'password: ********',
  'password=your_password_here',
  '"password": "Passwort"',
  '"password": "Enter your password"',
  '<input type="password" name="password" id="password1">',
  'password: z.string().min(8)',
  'this.password = password2',
  `if (typeof password === 'function')`,
  'api_key = settings.openai_api_key',
  'api_key: "YOUR_API_KEY"',
  `OPENAI_API_KEY=sk-${'x'.repeat(40)}`,
  `ghp_${'x'.repeat(36)}`,
  'token = next(tokens)',
  'token = SyntaxKind.GreaterThanGreaterThanGreaterThanEqualsToken;',
  'Authorization: Bearer $TOKEN',
  'Authorization: Bearer <token>',
  'authorization = headers.authorization',
  'postgres://user:password@localhost/db',
  'postgres://$' + '{USER}:$' + '{PASS}@host/db',
  'socks5h://<username>:<password>@proxy-host',
  'https://abc:xyz@example.com/',
  'https://host.local:8080/@user/post',
  'git@github.com:org/repo.git',
  'PWD=/home/bob/project2',
  'class="sk-folding-cube sk-circle-fade-dot"',
  'sk-learn-contrib-imbalanced-learn',
  'my $pass = $self->is_passing2();',
  'printf(&quot;Password is correct.&quot;);',
  // Ids, hashes, addresses.
  '3f786850e387550fdab836ed7e6dc881de23001b',
  'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  'id 550e8400-e29b-41d4-a716-446655440000',
  'sha512-6KM8X0gqVHxTsa9hrLRNMhz6oNjhlY0mcz6f9Xl3WQLkqDTW8GzYVJiFWyR7QQ==',
  'https://docs.google.com/document/d/1A2b3C4d5E6f7G8h9I0jKlMnOpQrStUvWxYz012345/edit',
  'https://youtu.be/dQw4w9WgXcQ?t=42',
  'https://x.com/u/status/1234567890123456789',
  'https://discord.com/channels/123456789012345678/987654321098765432',
  'https://pan.baidu.com/s/1a2b3c4d5e6f7g8h9i0j?pwd=ab12 提取码：ab12',
  'https://zoom.us/j/81234567890?pwd=aBcDeF123456&from=mail',
  'the token is gone, the secret is out',
  'nextPageToken: "CAUQAA1b2c3d4e5f6g7h8"',
  'csrf_token=0123456789abcdef0123',
  'arn:aws:secretsmanager:us-east-1:123456789012:secret:SecretName-6RandomCharacters',
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ7cK7cK7cK7cK7cK7cK7cK7cK7cK7cK7cK7 bob',
  'pk_live_7cK0123456789abcdefghij',
  'cli_a1b2c3d4e5f6g7h8',
  // Numbers.
  'DE89 3704 0044 0532 0130 00',
  'GB29 NWBK 6016 1331 9268 19',
  '1700000000000000 and 20260115083000 and 2026-01-15T08:30:00',
  '+49 170 1234567, +8613800138000, 138 0013 8000',
  `order ${cardNumber('4')}`,
  `paid by credit card, order ${cardNumber('4')}`,
  `order number is ${cardNumber('4')}`,
  `tracking no. ${cardNumber('4')}`,
  `订单号：${cardNumber('5457')}`,
  `{"order_id":"${cardNumber('4')}"}`,
  `{"userId": ${cardNumber('4')}}`,
  `https://weibo.com/1234567890/${cardNumber('4')}`,
  `https://shop.dev/?item=${cardNumber('4')}`,
  `#${cardNumber('4')}`,
  `0.${cardNumber('4')}`,
  cardNumber('6222', 19),
  cardNumber('62', 18),
  `身份证 ${cardNumber('62', 18)}`,
  `${cardNumber('4').slice(0, 15)}${(Number(cardNumber('4').at(-1)) + 1) % 10}`,
  inFours('1234567812345678', ' '),
  `${inFours(cardNumber('4'), ' ')} 1234 5678`,
  `527D ${inFours(cardNumber('4'), ' ')}`,
  `${inFours(cardNumber('4'), ' ')} 527D`,
  `12345678-${inFours(cardNumber('4'), '-')}`,
]

test.for(NEAR_MISSES)('%s stays', text => {
  expect(redactSecrets(text)).toBe(text)
})

describe('private keys', () => {
  const kinds = ['RSA ', '', 'EC ', 'OPENSSH ', 'ENCRYPTED '] as const
  test.for(kinds)('of the kind "%s" go as a whole', kind => {
    expect(redactSecrets(`Here:\n${privateKey(kind)}\nThanks.`)).toBe(
      'Here:\n[redacted: private key]\nThanks.',
    )
  })

  test('with Windows line ends, indented, quoted, in JSON and in strings', () => {
    expect(redactSecrets(`a\r\n${privateKey('', '\r\n')}\r\nb`)).toBe('a\r\n[redacted: private key]\r\nb')
    expect(redactSecrets(`key: |\n  ${privateKey('', '\n  ')}\nx: 1`)).toBe(
      'key: |\n  [redacted: private key]\nx: 1',
    )
    expect(redactSecrets(`> ${privateKey('', '\n> ')}\nok`)).toBe('> [redacted: private key]\nok')
    expect(redactSecrets(JSON.stringify({ key: privateKey(), a: 1 }))).toBe(
      '{"key":"[redacted: private key]","a":1}',
    )
    const twice = JSON.stringify({ body: JSON.stringify({ key: privateKey() }) })
    expect(JSON.parse(JSON.parse(redactSecrets(twice)).body)).toEqual({ key: '[redacted: private key]' })
    expect(redactSecrets(`私钥${privateKey('', ' ')}结束`)).toBe('私钥[redacted: private key]结束')
  })

  test('without an end, as far as they go', () => {
    const whole = privateKey('RSA ', '\n', 10)
    for (let length = 60; length < whole.indexOf('-----END'); length += 37)
      expect(redactSecrets(`Look: ${whole.slice(0, length).trimEnd()}`)).toBe('Look: [redacted: private key]')
    const cut = whole.split('\n').slice(0, 5).join('\n')
    expect(redactSecrets(`${cut}\n\nThat was all of it.`)).toBe(
      '[redacted: private key]\n\nThat was all of it.',
    )
    expect(redactSecrets(`${cut.replaceAll('\n', '\\n')}\\n"`)).toBe('[redacted: private key]\\n"')
  })

  test('of PGP, with headings', () => {
    const body = `Version: GnuPG v2\nComment: mine\n\n${draw(64, BASE64)}\n${draw(64, BASE64, 3)}\n=${draw(4, BASE64)}\n`
    const dashes = '-'.repeat(5)
    const key = `${dashes}BEGIN PGP PRIVATE KEY BLOCK${dashes}\n${body}${dashes}END PGP PRIVATE KEY BLOCK${dashes}`
    expect(redactSecrets(`x ${key} y`)).toBe('x [redacted: private key] y')
  })

  test('talk about them, public keys and certificates stay', () => {
    const dashes = '-'.repeat(5)
    for (const text of [
      `A file that begins with ${dashes}BEGIN RSA PRIVATE KEY${dashes} is a key. Do not send it to anybody.`,
      `${dashes}BEGIN PRIVATE KEY${dashes}\n...\n${dashes}END PRIVATE KEY${dashes}`,
      `${dashes}BEGIN PUBLIC KEY${dashes}\n${draw(64, BASE64)}\n${dashes}END PUBLIC KEY${dashes}`,
      `${dashes}BEGIN CERTIFICATE${dashes}\n${draw(64, BASE64)}\n${dashes}END CERTIFICATE${dashes}`,
    ])
      expect(redactSecrets(text)).toBe(text)
  })
})

describe('the name of a field', () => {
  test('says what a value is', () => {
    expect(redactSecrets('hunter22', { field: 'password' })).toBe('[redacted: password]')
    expect(redactSecrets('letmein', { field: 'dbPassword' })).toBe('[redacted: password]')
    expect(redactSecrets(draw(32, HEX), { field: 'apiKey' })).toBe('[redacted: API key]')
    expect(redactSecrets(`Bearer ${draw(20)}`, { field: 'Authorization' })).toBe('Bearer [redacted: token]')
    expect(redactSecrets(cardNumber('6222', 19), { field: 'card_number' })).toBe('[redacted: card number]')
  })

  test('says what it is not', () => {
    expect(redactSecrets('required', { field: 'password' })).toBe('required')
    expect(redactSecrets('Enter your password', { field: 'password' })).toBe('Enter your password')
    expect(redactSecrets(cardNumber('4'), { field: 'order_id' })).toBe(cardNumber('4'))
    expect(redactSecrets(draw(32, HEX), { field: 'nextPageToken' })).toBe(draw(32, HEX))
  })
})

test('several secrets of a text are all found, and what overlaps is one', () => {
  const text = `a ${KINDS[0]![2]}, b ${KINDS[7]![2]}; password=${KINDS[0]![2]} Bearer ${draw(30)}`
  expect(redactSecrets(text)).toBe(
    'a [redacted: API key], b [redacted: token]; password=[redacted: API key] Bearer [redacted: token]',
  )
})

/** Pieces that meet in all ways: secrets, what names them, what ends them, and what looks like them. */
const piece = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...KINDS.map(([, , secret]) => secret)) },
  { weight: 2, arbitrary: fc.constantFrom(...WITH_NAMES.map(([text]) => text), ...NEAR_MISSES) },
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      ...[
        'password',
        'passwd',
        'token',
        'api_key',
        'secret',
        'Authorization',
        'Bearer',
        '密码',
        '密钥',
        'card',
        'order',
      ],
      ...[
        ':',
        '=',
        '：',
        ' ',
        '\n',
        '"',
        "'",
        '`',
        '\\',
        '@',
        '://',
        '/',
        '.',
        ',',
        '-',
        '_',
        '[',
        ']',
        '<',
        '>',
        '是',
      ],
      ...[
        ' is ',
        'hunter22',
        'abc',
        '4111',
        '1',
        'AKIA',
        'sk-',
        'eyJ',
        '[redacted: password]',
        '[redacted: ',
        '🙂',
      ],
      `${'-'.repeat(5)}BEGIN PRIVATE KEY${'-'.repeat(5)}`,
    ),
  },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
)
const text = fc.array(piece, { maxLength: 24 }).map(pieces => pieces.join(''))

describe('always', () => {
  test('done again, it changes nothing more', () => {
    fc.assert(
      fc.property(text, text => {
        const once = redactSecrets(text)
        expect(redactSecrets(once)).toBe(once)
      }),
      { numRuns: 3_000 },
    )
  })

  test('what is left is the text, with markers in it', () => {
    fc.assert(
      fc.property(text, text => {
        const redacted = redactSecrets(text)
        const kept = redacted.split(/\[redacted: (?:API key|token|secret|private key|password|card number)\]/)
        let from = 0
        for (const part of kept) {
          const at = text.indexOf(part, from)
          if (!text.includes('[redacted: ')) expect(at).toBeGreaterThanOrEqual(from)
          from = at + part.length
        }
        expect(redacted.length).toBeLessThanOrEqual(text.length + 30 * (kept.length - 1))
        if (text.isWellFormed()) expect(redacted.isWellFormed()).toBe(true)
      }),
      { numRuns: 1_000 },
    )
  })

  test('no line takes from another, but for private keys', () => {
    // A value may stand alone on the line after its name.
    const line = text.map(text => `${text.replace(/[\n\r\u2028\u2029]|-----BEGIN/g, '')} ok`)
    fc.assert(
      fc.property(fc.array(line, { maxLength: 6 }), lines => {
        const redacted = lines.map(line => redactSecrets(line)).join('\n')
        expect(redactSecrets(lines.join('\n'))).toBe(redacted)
      }),
      { numRuns: 1_000 },
    )
  })

  test('text without letters and digits stays', () => {
    const plain = fc.string({ unit: 'binary' }).map(text => text.replace(/[A-Za-z0-9０-９]/g, ''))
    fc.assert(
      fc.property(plain, text => {
        expect(redactSecrets(text)).toBe(text)
      }),
    )
  })

  test('lone surrogates stay as they are', () => {
    const text = `\ud83d password=hunter22\udc00 ${KINDS[0]![2]}\ud83d`
    expect(redactSecrets(text)).toBe('\ud83d password=[redacted: password]\udc00 [redacted: API key]\ud83d')
  })
})

/** A megabyte each. */
const HUGE: Readonly<Record<string, string>> = {
  headers: '-----BEGIN ',
  'headers of keys': '-----BEGIN RSA PRIVATE KEY-----',
  'keys without an end': '-----BEGIN PRIVATE KEY-----\nMIIEabcdefghijklmnop\n',
  digits: '4',
  'groups of digits': '4111 ',
  'almost cards': '4111 1111 1111 1112 ',
  colons: 'a:',
  names: 'password:',
  'open quotes': 'password="',
  'open quotes in strings': 'password:\\"\\\\',
  'words about passwords': 'password for a a a a a ',
  backslashes: '\\',
  letters: 'a',
  dots: 'a.',
  'parts of tokens': 'eyJaaaaaaaaaaaaaaaaaaaaaaaa.',
  addresses: 'a://b:c',
  'one long authority': 'b:',
  Chinese: '密码：',
  tags: '<password>',
  credentials: 'authorization: bearer ',
  bots: '123456789:AA',
  hashes: '0123456789abcdef0123456789abcdef.',
  secrets: `password=abc123xyz ${cardNumber('4')}\n`,
}

test.for(Object.entries(HUGE))('a megabyte of %s takes no longer than its length asks for', ([, unit]) => {
  const text = `password: "a://${unit.repeat(Math.ceil(1_000_000 / unit.length))}`
  const started = process.cpuUsage()
  redactSecrets(text)
  // If it took the square of it, it would take hours.
  expect(process.cpuUsage(started).user / 1_000).toBeLessThan(10_000)
})
