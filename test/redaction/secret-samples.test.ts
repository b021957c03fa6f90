import { expect, test } from 'vitest'
import { redactSecrets } from '../../src/index.ts'
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
