import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decideLanguage } from './decide-language.ts'
import { isLanguageSetting, type Language, languageOfTag } from './language.ts'
import { spokenLanguage } from './spoken.ts'

const ERROR = `Traceback (most recent call last):
  File "/srv/app/main.py", line 12, in handler
TypeError: unsupported operand type for this operation, please check the arguments`

type Said = { role: 'user' | 'assistant' | 'tool'; content: string; sender: null }

function people(...texts: readonly string[]): Said[] {
  return texts.map(content => ({ role: 'user', content, sender: null }))
}

function decided(messages: readonly Said[], before: Language | null = null) {
  return decideLanguage({ setting: 'auto', messages, before })
}

describe('spokenLanguage', () => {
  test.each([
    ['我今天下午去医院复查', 'zh'],
    ['好', 'zh'],
    ['我用 TypeScript 写后端', 'zh'],
    ['I will go to the doctor this afternoon', 'en'],
    ['Ich gehe heute Nachmittag zum Arzt', 'en'],
    ['Сегодня я иду к врачу', 'en'],
    ['今日は病院に行きます', 'en'],
    ['カレーが好きです', 'en'],
    ['오늘 병원에 갑니다', 'en'],
    ['ok', null],
    ['haha', null],
    ['👍 123', null],
    ['', null],
    ['https://example.com/a/very/long/address', null],
    ['```\nconst answer = compute(the, whole, thing)\n```', null],
    ['> what does this error message mean', null],
    [`这个报错是什么意思\n${ERROR}`, null],
    ['Translate this into English please:\n我今天下午去医院复查', null],
    ['报错了怎么办 Error cannot read properties of undefined reading map', null],
  ])('%j: %s', (text, language) => expect(spokenLanguage(text)).toBe(language))
})

describe('decideLanguage', () => {
  test('what is set comes before what is said', () => {
    expect(
      decideLanguage({ setting: 'zh-CN', messages: people('Good morning to you'), before: 'en' }),
    ).toEqual({
      language: 'zh',
      isOpen: false,
    })
    expect(languageOfTag('ja')).toBe('en')
    expect(languageOfTag('zh_Hant')).toBe('zh')
    for (const value of ['chinese', '', 'z', 3, null, 'zh-', 'zh CN'])
      expect(isLanguageSetting(value)).toBe(false)
  })

  test('a quoted error message does not flip a Chinese chat, nor do several', () => {
    const chat = people('今天部署失败了', '帮我看看日志', ERROR, '还是不行', ERROR, ERROR)
    expect(decided(chat).language).toBe('zh')
    expect(decided(chat, 'zh').language).toBe('zh')
  })

  test('a chat that goes on in another language flips once most of it is in that', () => {
    const chinese = people('今天天气不错', '我们去爬山吧')
    const english = people('Shall we speak English from now on', 'My course begins on Monday')
    expect(decided([...chinese, ...english], 'zh').language).toBe('zh')
    const more = people(...Array.from({ length: 6 }, (_, place) => `This is practice number ${place} for me`))
    expect(decided([...chinese, ...english, ...more], 'zh').language).toBe('en')
  })

  test('the assistant and tools have no say where people have said something', () => {
    const others: Said[] = [
      { role: 'assistant', content: '好的，我来帮你查一下天气', sender: null },
      { role: 'tool', content: '今天多云转晴，最高气温三十度', sender: null },
    ]
    expect(decided([...people('What is the weather like today'), ...others, ...others]).language).toBe('en')
    expect(decided([others[0]!, ...people('👍')])).toEqual({ language: 'zh', isOpen: true })
  })

  test('nothing that tells it leaves it open, and what was decided before stays', () => {
    expect(decided([])).toEqual({ language: 'en', isOpen: true })
    expect(decided(people('ok', '👍'))).toEqual({ language: 'en', isOpen: true })
    expect(decided(people('ok', '👍'), 'zh')).toEqual({ language: 'zh', isOpen: false })
  })

  test('one message alone never changes it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.constantFrom<Language>('en', 'zh'), (text, before) => {
        expect(decided(people(text), before).language).toBe(before)
      }),
    )
  })
})
