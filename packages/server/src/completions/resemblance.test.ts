import { describe, expect, test } from 'vitest'
import { Prints, type Said } from './fingerprint.ts'
import { Resemblance } from './resemblance.ts'

const prints = new Prints()
const reply = (content: Said['content']): Said => ({ role: 'assistant', content })
const resembles = (ours: string, theirs: string) =>
  new Resemblance().resembles(prints.of(reply(ours)), prints.of(reply(theirs)))

const LONG = `The ferry to Oslo leaves at 18:30 from pier four. Please be there an hour before, with your
passport. **Breakfast** is served from seven, and the cabins are to be left by half past eight.`
const CODE =
  'Sum them up:\n\n```python\ntotal = sum(numbers)\nprint(total)\n```\n\nThat is all there is to it.'

describe('the reply in spite of', () => {
  test.each<[string, string, string]>([
    ['a footer', 'Yes.', 'Yes. — sent with MyApp'],
    ['a footer with a number', 'It is 7.', 'It is 7.\n\n[reply 3 of 25, 12:04]'],
    ['a name before it', 'Yes, it does.', 'Assistant: Yes, it does.'],
    ['both', 'Ok', '🤖 Pal says: Ok — via Chatter 2.0'],
    ['a long notice', 'Yes.', `Yes.\n\n${'This is no legal advice. '.repeat(40)}`],
    ['no footer', 'Yes, on Friday at noon. — Pal', 'Yes, on Friday at noon.'],
    ['thoughts that it began with', `Let me see. The user asks when it leaves.\n${LONG}`, LONG],
    ['its end', LONG, `${LONG.slice(0, 100)} … [truncated]`],
    ['code that is not kept', CODE, 'Sum them up: That is all there is to it.'],
    ['HTML', LONG, LONG.replace('**Breakfast**', '<b>Breakfast</b> <br/>')],
    [
      'links that are not kept',
      'See [the list](https://a.org/x?y=1) and ask me.',
      'See the list and ask me.',
    ],
    ['emoji that are written out', 'Great 🎉 see you on Friday then', 'Great :tada: see you on Friday then'],
    ['a word that is written otherwise', LONG, LONG.replace('passport', 'pass-port')],
    ['emoji alone, with something added', '👍', '👍 (sent from my phone)'],
    ['Chinese', '好的，明天下午三点见。', '【小助手】好的，明天下午三点见。（由 AI 生成）'],
    ['short Chinese', '好的', '好的（由 AI 生成）'],
    [
      'Chinese that is shortened',
      '好的，明天下午三点在港口见，请带护照和雨衣，谢谢。',
      '好的，明天下午三点在港口见，请带护照……',
    ],
  ])('%s', (_, ours, theirs) => {
    expect(resembles(ours, theirs)).toBe(true)
  })
})

describe('another reply', () => {
  test.each<[string, string, string]>([
    ['of other words', 'The capital is Paris.', 'I do not know.'],
    ['with another word', 'The capital is Paris.', 'The capital is Lyon.'],
    ['with another number', LONG, LONG.replace('18:30', '19:30')],
    ['with another day in Chinese', '好的，明天下午三点见。', '好的，后天下午四点见。'],
    ['that happens to hold a short one', 'no', 'I know'],
    ['of which a word is left', LONG, 'ferry'],
    ['of emoji', '👍', '👎 (sent from my phone)'],
    [
      'with much that is replaced',
      LONG,
      LONG.replace(/\b(Oslo|pier|hour|with|cabins|served|half)\b/g, 'other'),
    ],
  ])('%s', (_, ours, theirs) => {
    expect(resembles(ours, theirs)).toBe(false)
  })

  test('whose calls or attachments are others', () => {
    const one = prints.of(
      reply([
        { type: 'text', text: LONG },
        { type: 'image', image: 'x' },
      ]),
    )
    expect(new Resemblance().resembles(one, prints.of(reply(LONG)))).toBe(false)
  })
})

test('very long replies take no time, and what cannot be compared is another', () => {
  const words = (seed: number) =>
    Array.from({ length: 20_000 }, (_, place) => `w${(place * seed) % 9_973}`).join(' ')
  const [one, other] = [prints.of(reply(words(7))), prints.of(reply(words(11)))]
  const resemblance = new Resemblance()
  const before = process.cpuUsage()
  for (let time = 0; time < 100; time++) resemblance.resembles(one, other)
  expect(resemblance.resembles(one, other)).toBe(false)
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(1_000)
})
