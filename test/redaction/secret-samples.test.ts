import { expect, test } from 'vitest'
import { redactSecrets } from '../../packages/palimpsest/src/index.ts'
import { isLeaked, secretSamples } from './secret-samples.ts'

/** Kinds of which nothing but the place says that they are secret. */
const KNOWN_TO_PASS = ['Neon password', 'net use', 'pgpass']

test('of secrets as people paste them, hardly any passes', () => {
  const samples = secretSamples()
  expect(samples.length).toBeGreaterThanOrEqual(230)
  for (const { name, text, secrets } of samples)
    expect(
      secrets.length > 0 && secrets.every(secret => secret.length > 5 && text.includes(secret)),
      name,
    ).toBe(true)
  const passed = samples.filter(sample => isLeaked(sample, redactSecrets(sample.text)))
  expect(passed.map(({ name }) => name)).toEqual(KNOWN_TO_PASS)
})

/** What people say about passwords and keys all day. */
const TALK = [
  'password:\nplease choose a new one',
  'Password:\n\n8 to 20 characters',
  'I forgot my password again, reset it please',
  'mot de passe oublié ?',
  'Le mot de passe est obligatoire, 8 caractères au moins',
  'mot de passe : 8 caractères',
  'Das Passwort ist falsch',
  'Das Passwort ist seit 2024 abgelaufen',
  'Passwort: mindestens 12 Zeichen',
  'la contraseña es incorrecta',
  'la contraseña es de 8 caracteres',
  'a senha é obrigatória',
  'la parola è d’argento, il silenzio è d’oro',
  'parola: un termine',
  'пароль неверный',
  'пароль — это слово из 8 букв',
  'şifre yanlış, 3 kez denedim',
  'كلمة المرور غير صحيحة',
  'पासवर्ड गलत है',
  'パスワードは8文字以上です',
  'パスワードは間違っています',
  '비밀번호는 8자 이상이어야 합니다',
  'mật khẩu là bắt buộc',
  'het wachtwoord is verlopen',
  'clave: el ritmo',
  'curl -u is for basic auth, see curl(1)',
  'curl -u $USER:$PASS https://a.dev',
  'curl --user name https://a.dev',
  'mysql -p shop',
  'mysql -u root -p',
  'docker run -p 8080:80 -d nginx',
  'ssh -p 2222 bob@host',
  'sshpass -p $PASSWORD ssh host',
  'redis-cli -a',
  'the SECRET_KEY setting is missing',
  'SECRET_KEY=changeme',
  'SECRET_KEY=your-secret-key-here',
  'SESSION_SECRET=$' + '{SESSION_SECRET}',
  'PRIMARY_KEY=id',
  'CACHE_KEY=user:42:profile',
  'PUBLIC_KEY=0123456789abcdef0123456789abcdef',
  'auth: none',
  '"auth": "required"',
  'machine learning, login page and password rules',
  'https://localhost:8080/a@b.corp.dev',
  'https://bob@corp.dev/path',
  'see https://medium.com/@bob/a-post-1234abcd',
  'mongodb://localhost:27017/shop?authSource=a@b',
  'task-0a1b2c3d4e5f60718293a4b5 is done',
  'https://cdn.corp.dev/desk-3f2a9c1b7d6e5f4a3b2c1d.js',
  'risk_assessment_report_final_version_2026',
  'It ends with -----END RSA PRIVATE KEY-----, mind the dashes.',
  'Private-Lines: 14 is what PuTTY writes there',
  'the family 👨‍👩‍👧‍👦 says hi',
  'ＡＢＣ株式会社　２０２６年１月',
  'PIN:\n1234',
  'token:\n  type: string',
  'API key:\nsee the vault',
]

test.for(TALK)('%j stays', text => {
  expect(redactSecrets(text)).toBe(text)
})

/** What test programs print. */
const VERDICTS = [
  '--- PASS: TestLogin2FA',
  '--- PASS: TestLogin2FA (0.00s)',
  '=== RUN   TestLogin2FA\n    --- PASS: TestLogin/2fa_v2 (0.01s)\nPASS\nok  \tcorp.dev/login2\t0.012s',
  'PASS: TestLogin2FA',
  'PASS: TestLogin2FA\nFAIL: TestLogin3',
  'PASS: login2fa\nFAIL: login3',
  'ok 1 - login\nPASS: login2fa',
  'PASS: tests/login2.sh',
  'PASS: test_login_2fa',
  'PASS: LayoutTests/fast/css/a1.html',
  'PASS: gcc.dg/pr1234.c (test for excess errors)',
  'PASS: login2fa (12 ms)',
  'PASS  : TestLogin2FA (0.10 seconds)',
  'PASS: Login2FA should accept a code',
  '**PASS**: TestLogin2FA',
  '✅ **PASS**: login2fa',
  '✓ PASS: test_login_2fa',
  'Result: PASS: login_2fa_v2',
  '# PASS:  123456\n# FAIL:  0',
  'PASS=123456 FAIL=2',
  'pass: 1234567, fail: 3',
  '{"tests": 1234570, "pass": 1234567, "fail": 3}',
  'tests 1234567\npass: 1234560',
  'passes: 1234567, failures: 0',
  'testsPass: 1234567',
  'pass: 1234ms',
  'FAIL: TestLogin2FA',
  'ok: TestLogin2FA',
]

test.for(VERDICTS)('%j stays', text => {
  expect(redactSecrets(text)).toBe(text)
})

/** What looks like it, and is a password. */
const NO_VERDICTS = [
  'PASS: hunter22x',
  'pass: TestUser1x',
  'USER: bob\nPASS: TestUser1x',
  'LOGIN: bob PASS: test_1234x',
  'PASS: test_1234x\nuser: bob',
  '--- PASS: hunter22x',
  '--- PASS: Test-1234!x',
  '# PASS: hunter22x',
  'PASS=hunter22x FAIL=2',
  'pass: 1234567',
  'Test 1: user bob, pass: 1234567',
  'USER: bob\nPASS: hunter22x\nUSER: ann\nPASS: qwerty12x',
  'DB_PASS=TestLogin2FA',
  'DB_PASS: TestLogin2FA',
  'password: TestLogin2FA',
  'PASS: hunter22x in 5 minutes',
  'user: bob pass: hunter22x (12 s)',
  'user: bob, pass: 1234567, failed 3 times',
  'PASS: hunter22x\nok thanks',
  'PASS: hunter22x\nFAIL: wrong password',
  'PASS: hunter22x\nERROR: cannot log in',
]

test.for(NO_VERDICTS)('%j is redacted', text => {
  expect(redactSecrets(text)).toContain('[redacted: password]')
})
