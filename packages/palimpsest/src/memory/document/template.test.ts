import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { normalizeMarkdown } from './normalize-markdown.ts'
import { appendText, listSections, readSection } from './sections.ts'
import {
  ALL_HEADINGS,
  chatTemplate,
  findHeading,
  headings,
  scopeSection,
  scopeTemplate,
  userSection,
  userTemplate,
} from './template.ts'

describe('chatTemplate', () => {
  test('in English', () => {
    expect(
      chatTemplate({ kind: 'private', with: 'Ann Lee', firstContact: '2026-01-15', language: 'en' }),
    ).toBe(
      `# Chat memory

## Basic information
- Kind: private
- With: Ann Lee
- First contact: 2026-01-15

## About this conversation

## History
`,
    )
  })

  test('in Chinese', () => {
    expect(chatTemplate({ kind: 'group', with: '篮球群', firstContact: '2026-01-15', language: 'zh' })).toBe(
      `# 聊天记忆

## 基本信息
- 类型: 群聊
- 对话对象: 篮球群
- 首次交互: 2026-01-15

## 关于此对话

## 历史摘要
`,
    )
  })

  test.each([
    ['private', 'en', '- Kind: private'],
    ['group', 'en', '- Kind: group'],
    ['agent', 'en', '- Kind: agent'],
    ['private', 'zh', '- 类型: 私聊'],
    ['group', 'zh', '- 类型: 群聊'],
    ['agent', 'zh', '- 类型: 智能体'],
  ] as const)('%s, %s', (kind, language, line) => {
    const content = chatTemplate({ kind, with: null, firstContact: '2026-01-15', language })
    const basics = readSection(content, headings(language).basics)!
    expect(basics.split('\n')).toHaveLength(2)
    expect(basics.split('\n')[0]).toBe(line)
    expect(readSection(content, headings(language).about)).toBe('')
    expect(readSection(content, headings(language).history)).toBe('')
  })

  test('no name brings a section or a line of its own', () => {
    const name = fc.option(fc.string({ unit: fc.constantFrom(...'#- \n\r\u2028`~a汉\0'), maxLength: 20 }))
    const language = fc.constantFrom('en' as const, 'zh' as const)
    fc.assert(
      fc.property(name, language, (partner, spoken) => {
        const basics = { kind: 'private', firstContact: '2026-01-15', language: spoken } as const
        const content = chatTemplate({ ...basics, with: partner })
        expect(
          listSections(content)
            .map(({ heading }) => heading)
            .slice(1),
        ).toEqual(Object.values(headings(spoken)))
        const without = chatTemplate({ ...basics, with: null })
        expect(content.split('\n').length - without.split('\n').length).toBeOneOf([0, 1])
        expect(normalizeMarkdown(content)).toBe(content)
      }),
    )
  })
})

describe('the other layers', () => {
  test('users', () => {
    expect(userTemplate('en')).toBe('# User memory\n\n## Profile\n\n## Preferences\n')
    expect(userTemplate('zh')).toBe('# 用户记忆\n\n## 个人资料\n\n## 偏好\n')
    for (const language of ['en', 'zh'] as const)
      for (const name of ['profile', 'preferences'] as const) {
        expect(readSection(userTemplate(language), userSection(name, language))).toBe('')
        expect(ALL_HEADINGS.user[name]).toContain(userSection(name, language))
      }
  })

  test('scopes', () => {
    expect(scopeTemplate('en')).toBe('# Shared memory\n\n## History\n\n## Plans\n\n## Documents\n')
    expect(scopeTemplate('zh')).toBe('# 共享记忆\n\n## 历史\n\n## 计划\n\n## 文档\n')
    for (const language of ['en', 'zh'] as const)
      for (const name of ['history', 'plans', 'documents'] as const) {
        expect(readSection(scopeTemplate(language), scopeSection(name, language))).toBe('')
        expect(ALL_HEADINGS.scope[name]).toContain(scopeSection(name, language))
      }
  })
})

describe('findHeading', () => {
  test('whichever is there', () => {
    const { history } = ALL_HEADINGS.chat
    for (const language of ['en', 'zh'] as const) {
      const content = chatTemplate({ kind: 'agent', with: null, firstContact: '2026-01-15', language })
      expect(findHeading(content, history)).toBe(headings(language).history)
      expect(findHeading(appendText(content, '- a', headings(language).history), history)).toBe(
        headings(language).history,
      )
    }
  })

  test('the first of the names, of level 2 only', () => {
    expect(findHeading('## B\n## A\n', ['A', 'B'])).toBe('A')
    expect(findHeading('## B\n', ['A', 'B'])).toBe('B')
    expect(findHeading('# A\n### A\n```\n## A\n', ['A'])).toBeNull()
    expect(findHeading('', ['A'])).toBeNull()
    expect(findHeading('## A', [])).toBeNull()
  })
})
