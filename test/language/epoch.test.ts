import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type Context,
  count,
  createPalimpsest,
  type Palimpsest,
  type Session,
} from '../../packages/palimpsest/src/index.ts'
import { runs } from '../runs.ts'
import { PLACES } from '../stores.ts'

const RUNS = runs(5, 12)

async function withPalimpsest(
  place: (typeof PLACES)[keyof typeof PLACES],
  use: (palimpsest: Palimpsest, reopen: () => Promise<Palimpsest>) => Promise<void>,
  options: { language?: string } = {},
): Promise<void> {
  const at = place()
  const opened: Palimpsest[] = []
  const open = async () => {
    const palimpsest = await createPalimpsest({
      store: await at.open(),
      policy: count({ threshold: 20, keepLast: 4 }),
      folding: 'manual',
      ...options,
    })
    opened.push(palimpsest)
    return palimpsest
  }
  try {
    await use(await open(), open)
  } finally {
    for (const palimpsest of opened) await palimpsest.close()
    await at.remove()
  }
}

const CHINESE = '今天下午我要去医院复查，晚上再回家做饭。'
const ENGLISH = 'I will see the doctor this afternoon and cook at home tonight.'
const ERROR = 'TypeError: cannot read properties of undefined while reading the list of items'

function user(content: string) {
  return { role: 'user' as const, content }
}

function assistant(content: string) {
  return { role: 'assistant' as const, content }
}

/** Long enough that there is something to fold. */
async function talk(chat: Session, text: string, turns = 8): Promise<void> {
  for (let turn = 0; turn < turns; turn++)
    await chat.append([user(text.repeat(3)), assistant(text.repeat(3))])
}

function prefixOf({ instructions, messages, report }: Context): string {
  return JSON.stringify([instructions, messages.slice(0, report.stableMessages)]).slice(0, -2)
}

/** Of another language than the first. */
type Step =
  | { do: 'say'; other: boolean }
  | { do: 'answer'; other: boolean }
  | { do: 'set'; language: string }
  | { do: 'fold' }
  | { do: 'tools' }
  | { do: 'reopen' }

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('say' as const), other: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('answer' as const), other: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('set' as const), language: fc.constantFrom('auto', 'zh', 'en') }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'fold' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'tools' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'reopen' as const }) },
)

describe.for(Object.entries(PLACES))('%s: within an epoch', ([, place]) => {
  test('nothing changes when messages in another language arrive, whatever else happens', () =>
    withPalimpsest(place, async (first, reopen) => {
      let number = 0
      await fc.assert(
        fc.asyncProperty(
          fc.boolean(),
          fc.array(step, { minLength: 4, maxLength: 24 }),
          async (isChinese, steps) => {
            const id = `chat ${number++}`
            let palimpsest = first
            const [own, other] = isChinese ? [CHINESE, ENGLISH] : [ENGLISH, CHINESE]
            const chat = () => palimpsest.session(id, { kind: 'group' })
            await chat().append(user(own))
            await palimpsest.session(id).memory.append(own)
            let last: Context | null = null
            for (const step of steps) {
              if (step.do === 'say') await chat().append(user((step.other ? other : own).repeat(2)))
              if (step.do === 'answer') await chat().append(assistant((step.other ? other : own).repeat(2)))
              if (step.do === 'set') await chat().configure({ language: step.language })
              if (step.do === 'fold') await chat().compact({ force: true })
              if (step.do === 'reopen') palimpsest = await reopen()
              const tools = (await chat().memoryTools()).toAISDK()
              const context: Context = await chat().context({ tools })
              expect((await chat().memoryTools()).language).toBe(context.language)
              expect(await chat().language()).toBe(context.language)
              if (last?.report.epoch === context.report.epoch) {
                expect(context.language).toBe(last.language)
                if (last.report.view === context.report.view)
                  expect(JSON.stringify([context.instructions, context.messages])).toContain(
                    prefixOf(last).slice(1),
                  )
              }
              last = context
            }
          },
        ),
        { numRuns: RUNS },
      )
    }))

  test('a Chinese chat with pasted errors stays Chinese over folds, and turns English with an epoch once people do', () =>
    withPalimpsest(place, async palimpsest => {
      const chat = palimpsest.session('chat')
      await talk(chat, CHINESE)
      expect((await chat.context()).language).toBe('zh')
      await chat.append([user(ERROR), user(ERROR), user('还是这个错误，怎么办？'), user(ERROR)])
      await chat.compact({ force: true })
      expect((await chat.context()).language).toBe('zh')
      await talk(chat, ENGLISH, 14)
      const before = await chat.context()
      expect(before.language).toBe('zh')
      expect(before.sessionMemory).toContain('消息 1–')
      await chat.compact({ force: true })
      const after = await chat.context()
      expect([after.language, after.report.epoch > before.report.epoch]).toEqual(['en', true])
      expect(after.sessionMemory).toContain('Messages 1–')
      expect(after.sessionMemory).not.toContain('消息')
    }))

  test('a setting is in force with the next epoch, of the session before that of the instance', () =>
    withPalimpsest(
      place,
      async palimpsest => {
        const chat = palimpsest.session('chat')
        await talk(chat, ENGLISH)
        expect((await chat.context()).language).toBe('zh')
        await chat.configure({ language: 'en' })
        expect((await chat.context()).language).toBe('zh')
        await chat.compact({ force: true })
        expect((await chat.context()).language).toBe('en')
        palimpsest.configure({ language: 'auto' })
        await chat.configure({ language: null })
        expect(() => palimpsest.configure({ language: 'Chinese, please' })).toThrow('auto')
      },
      { language: 'zh-CN' },
    ))

  test('a greeting says nothing: the first message that does begins an epoch', () =>
    withPalimpsest(place, async palimpsest => {
      const chat = palimpsest.session('chat')
      await chat.append(user('hi'))
      const greeted = await chat.context({ tools: (await chat.memoryTools()).toAISDK() })
      expect(greeted.language).toBe('en')
      await chat.append([assistant('Hello!'), user(CHINESE)])
      const tools = await chat.memoryTools()
      const asked = await chat.context({ tools: tools.toAISDK() })
      expect([tools.language, asked.language]).toEqual(['zh', 'zh'])
      expect(asked.report.epoch).toBeGreaterThan(greeted.report.epoch)
      expect(asked.instructions).not.toMatch(/[A-Za-z]{2,} [A-Za-z]{2,}/)
      const view = await chat.context({ budget: 900 })
      expect([view.language, view.report.epoch]).toEqual(['zh', asked.report.epoch])
    }))

  test('forks, exports and imports keep it, before anything in them tells it', () =>
    withPalimpsest(place, async palimpsest => {
      const chat = palimpsest.session('chat')
      await talk(chat, CHINESE, 2)
      await chat.context()
      await chat.append([user(ENGLISH), user(ENGLISH), user(ENGLISH)])
      const fork = await chat.fork('fork')
      expect((await fork.context()).language).toBe('zh')
      const file = await chat.export()
      expect(file.language).toBe('zh')
      await palimpsest.import(file, { id: 'imported' })
      expect((await palimpsest.session('imported').context()).language).toBe('zh')
      expect((await palimpsest.session('imported').export()).language).toBe('zh')
    }))
})

describe.for(Object.entries(PLACES))('%s: a document', ([, place]) => {
  test('never gets the same section twice in two languages', () =>
    withPalimpsest(place, async palimpsest => {
      const chat = palimpsest.session('chat', { kind: 'private', user: 'u' })
      await chat.append(user('我们决定下周五去杭州开会，住在西湖边上。'))
      await talk(chat, CHINESE, 4)
      await chat.compact({ force: true })
      const begun = (await chat.memory.read())!.content
      expect(begun).toContain('## 历史摘要')
      await talk(chat, ENGLISH, 14)
      await chat.compact({ force: true })
      expect((await chat.context()).language).toBe('en')
      await talk(chat, ENGLISH, 4)
      await chat.compact({ force: true })
      const tools = await chat.memoryTools()
      await tools.execute('write_chat_memory', {
        section: 'History',
        content: 'The doctor is on the third floor.',
      })
      await tools.execute('write_chat_memory', {
        section: 'About this conversation',
        content: 'We speak English.',
      })
      await chat.memory.append('- by hand', { section: 'Basic information' })
      await chat.memory.updateSection('History', `${await chat.memory.section('History')}\n- kept`)
      const { content } = (await chat.memory.read())!
      const headings = content.split('\n').filter(line => line.startsWith('## '))
      expect(headings).toEqual(['## 基本信息', '## 关于此对话', '## 历史摘要'])
      expect(content).toContain('third floor')
    }))
})
