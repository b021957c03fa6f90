import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isWorthKeeping } from './worth-keeping.ts'

/** One case between two bars. */
function cases(table: string): string[] {
  return table.split(/[|\n]/).flatMap(text => text.trim() || [])
}

describe('says nothing', () => {
  test.each(
    cases(`
      ok | OK! | Okay. | k | kk | yes | Yeah sure | no | nope | ? | ... | +1 | brb | lol | LOL!!! | 7
      hi | hi there! | Hello | heyyyy | Hi Ann! | good morning everyone | Good morning Ann and Bob | Good night, Ann
      see you tomorrow | See you later, Bob! | bye bye | ttyl | have a nice weekend | How are you? | what's up
      thanks | thanks a lot :) | Thank you so much! | thx Bob | Thanks for the quick reply! | ty 🙏 | You’re welcome
      you're welcome | no problem | got it, thanks | sounds good | Sounds good to me | ok great thanks | makes sense
      I agree | me too | Happy birthday Ann! | haha | hahahaha 😂 | lmaooo | xD | :) | <3 | 👍 | 👍🏽 | 🎉🎉🎉 | wow | hmmm
      nice one | great work team | The blue | Ann Lee | What time?
      Hi all, how are you doing today? | @ann hello there | <@123456789> hi | that's so cool | This is amazing! | 666 | ２３３３
      好的 | 好 | 谢谢 | 谢谢！ | 早上好 | 大家早上好！ | 哈哈哈 | 嗯嗯 | 收到 | 收到，谢谢 | 明白了 | 晚安，明天见 | 不客气 | 可以
      谢谢李雷 | 李雷早上好 | 生日快乐，小王！ | 太棒了！👍 | 没问题 | 在吗？ | 辛苦了 | 是的是的 | 我也是
      Guten Morgen zusammen | Danke schön! | Vielen Dank | alles klar | bis morgen | Tschüss | Danke für die Hilfe
      Hola | Buenos días a todos | muchas gracias | jajaja | de nada | Hasta mañana | vale, gracias
      おはようございます | ありがとうございます！ | 了解です | はい | お疲れ様です | よろしくお願いします | またね
      안녕하세요 여러분 | 감사합니다 | ㅋㅋㅋ | 네, 알겠습니다 | bonjour à tous | merci beaucoup | спасибо | bom dia
      Ann's car | I'm fine | Ann: ok | Ann: thanks a lot | Ann: I agree
    `),
  )('%j', text => expect(isWorthKeeping(text)).toBe(false))

  test.each(['', ' ', '\r\n\t', '\u200b', '\ud800', '\udc00!', '|'])('%j', text =>
    expect(isWorthKeeping(text)).toBe(false),
  )
})

describe('says something', () => {
  test.each(
    cases(`
      My birthday is 3 May | Ann is allergic to nuts | We ship on Friday | Hi, my name is Ann Lee | I love hiking
      OK WE LEAVE AT DAWN | @ann owes Bob money | thanks, the flight is TP573 | ok, we leave at dawn | Ann is great | lol I moved to Rome | i hate mondays lol
      Good morning! The server is down | No I live in Rome | The deadline moved again | Thanks for lending me 500 euros
      3 May | room 42 | 14:35 | 5/3 | €480 | https://example.org | www.example.org | ann@example.org | 2026-03-02
      I'm vegetarian | btw im vegan | she's pregnant | 7pm | next Friday | 金曜日 | example.com | Friday works | 5月3日 | June 1st | see you at 10
      我住在杭州 | 我叫李雷 | 早上好，我叫李雷 | 我对花生过敏 | 好的，下周五上线 | 预算3万 | 我用Vim | 不吃辣的
      Ich wohne in Köln | Hallo, ich heiße Jana | Mein Sohn ist fünf | Wir treffen uns Freitag
      Me llamo Inés | Hola, vivo en Sevilla | Soy alérgica a las nueces | Mi hijo tiene cinco años
      私は東京に住んでいます | 卵アレルギーがあります | 締め切りは金曜日です | トマトが嫌いです
      저는 의사예요 | 서울에 살아요 | ฉันอาศัยอยู่ที่กรุงเทพ | Я живу в Москве | J'habite à Lyon | Moro em Lisboa agora
      Ann: I live in Rome | Ann said that she is a vegetarian.
    `),
  )('%j', text => expect(isWorthKeeping(text)).toBe(true))
})

test('small talk in a row is small talk, and what is said among it is said', () => {
  const small = fc.constantFrom(
    'hi there!',
    'ok',
    'lol',
    'thanks a lot :)',
    "that's so cool",
    '👍',
    '+1',
    '好的',
    'はい',
  )
  const said = fc.constantFrom(
    'Ann is allergic to nuts',
    '我住在杭州',
    'https://example.org',
    'room 42',
    'Vivo en Sevilla hoy',
  )
  fc.assert(
    fc.property(fc.array(small), said, fc.array(small), (before, statement, behind) => {
      expect(isWorthKeeping([...before, ...behind].join(' '))).toBe(false)
      expect(isWorthKeeping([...before, statement, ...behind].join(' '))).toBe(true)
    }),
  )
})

test('whatever a text is, there is an answer', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), text => {
      expect(typeof isWorthKeeping(text)).toBe('boolean')
    }),
  )
})

test('takes no time on what is long and odd', () => {
  const started = performance.now()
  for (const part of [
    'a',
    '哈',
    '😀',
    ' ',
    '.',
    '1',
    'ha',
    '@a',
    'hi ',
    "'",
    '好的x',
    '\ud800',
    ':',
    '\u0300',
  ])
    isWorthKeeping(part.repeat(1_000_000))
  expect(performance.now() - started).toBeLessThan(20_000)
})
