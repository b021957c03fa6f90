import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { languageOfText } from './spoken.ts'

describe('languageOfText', () => {
  test.each([
    ['我住在杭州，每天骑车上班。', 'zh'],
    ['這個週末要去台北看朋友', 'zh'],
    ['我用 TypeScript 写后端，前端用 React', 'zh'],
    ['OK，明天三点开会，记得带上笔记本电脑', 'zh'],
    ['好', 'zh'],
    ['我们去吃の大喜吧，那家店的招牌菜很不错', 'zh'],
    ['I live in Hangzhou and cycle to work.', 'en'],
    ['My name is 李安, please book the table under it.', 'en'],
    ['東京に住んでいます。毎日自転車で通勤しています。', 'en'],
    ['カレーが好きです', 'en'],
    ['저는 서울에 살아요. 大學에 다녀요', 'en'],
    ['Ich wohne in München', 'en'],
    ['', 'en'],
    ['123 !? 😀', 'en'],
    ['\ud800\udc00\ud800', 'en'],
    ['𠮷野家很好吃', 'zh'],
  ])('%j: %s', (text, expected) => expect(languageOfText(text)).toBe(expected))

  test('looks at a bounded part', () => {
    expect(languageOfText('我住在杭州'.repeat(200_000))).toBe('zh')
    expect(languageOfText(`${'word '.repeat(10_000)}${'汉'.repeat(1_000_000)}`)).toBe('en')
  })

  test('one of the two for any text; without Han characters it is never Chinese', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), text => {
        const language = languageOfText(text)
        expect(language).toBeOneOf(['en', 'zh'])
        if (!/\p{Script=Han}/u.test(text)) expect(language).toBe('en')
      }),
    )
  })
})
