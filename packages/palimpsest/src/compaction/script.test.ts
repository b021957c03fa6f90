import { expect, test } from 'vitest'
import { dominantScript, missedScript } from './script.ts'

const ENGLISH = 'We ship the forty crates of lemons to Porto on Friday and Ann pays the invoice.'
const CHINESE = '我们星期五把四十箱柠檬运到波尔图，安妮支付发票，鲍勃负责联系港口和仓库。'
const JAPANESE = '金曜日に四十箱のレモンをポルトへ送ります。アンが請求書を払い、ボブが港に連絡します。'
const KOREAN =
  '우리는 금요일에 레몬 마흔 상자를 포르투로 보내고 앤이 청구서를 지불합니다. 밥은 항구에 연락합니다.'
const RUSSIAN = 'В пятницу мы отправляем сорок ящиков лимонов в Порту, а Анна оплачивает счёт.'
const ARABIC = 'نرسل أربعين صندوقًا من الليمون إلى بورتو يوم الجمعة وتدفع آن الفاتورة كاملة.'

test.each([
  [ENGLISH, 'Latin'],
  [CHINESE, 'Han'],
  [JAPANESE, 'Japanese'],
  [KOREAN, 'Hangul'],
  [RUSSIAN, 'Cyrillic'],
  [ARABIC, 'Arabic'],
  ['好的', null],
  ['', null],
  [`${ENGLISH} ${CHINESE}`, null],
  // Names, links and code are Latin everywhere.
  [`${CHINESE} https://example.com/a/very/long/path?with=parameters src/index.ts \`npm run build\``, 'Han'],
  [`${CHINESE}我们用 Kubernetes 和 Docker 部署。`, 'Han'],
])('%s', (text, script) => {
  expect(dominantScript(text)).toBe(script)
})

test('a summary in another script than its source is told apart, a mixed source is not', () => {
  expect(missedScript(CHINESE, ENGLISH)).toBe('Han')
  expect(missedScript(ENGLISH, CHINESE)).toBe('Latin')
  expect(missedScript(CHINESE, JAPANESE)).toBe('Han')
  expect(missedScript(RUSSIAN, ENGLISH)).toBe('Cyrillic')
  expect(missedScript(CHINESE, CHINESE)).toBeNull()
  expect(missedScript(`${ENGLISH} ${CHINESE}`, ENGLISH)).toBeNull()
  expect(missedScript(CHINESE, '…')).toBeNull()
  expect(missedScript(JAPANESE, '金曜日四十箱檸檬発送決定、請求書支払担当、港連絡担当')).toBeNull()
})

test('a long text costs no more than its beginning', () => {
  const long = CHINESE.repeat(100_000)
  const start = performance.now()
  expect(dominantScript(long)).toBe('Han')
  expect(performance.now() - start).toBeLessThan(5_000)
})
