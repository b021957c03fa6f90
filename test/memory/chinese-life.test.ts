import { describe, expect, it } from 'vitest'
import {
  createPalimpsest,
  modelSummarizer,
  rounds,
  type Session,
} from '../../packages/palimpsest/src/index.ts'
import { type ModelRequest, scriptedModel } from '../../packages/palimpsest/src/testing/index.ts'
import { PLACES } from '../stores.ts'
import { blockIn, checkBlocks } from './blocks.ts'
import { Clock } from './kit.ts'
import { promptBlock } from './prompts.ts'

const DAYS = 10
const TURNS_A_DAY = 20

/** Said on the first day, and never again. */
const FIRST_DAY = [
  '我的船叫极光号，停在十七号码头。',
  '我女儿小雨对花生过敏。',
  '合同编号是 HT-20391，三月底到期。',
]
const TALK = '今天的货柜还在港口等着装船，吊车司机说要等到下午，发票的事情明天再和财务核对一遍。'

/** It tells facts to chat memory alone: its summaries and what it condenses do not have them. */
function answer({ said }: ModelRequest): string {
  const prompt = said.at(-1)!.text
  if (promptBlock(prompt, 'summaries') !== null)
    return JSON.stringify({ summary: '他们继续谈了装船的安排。', events: [], details: [] })
  const lines = [...(promptBlock(prompt, 'conversation') ?? '').matchAll(/^#(\d+) (.*)$/gm)]
  const facts = lines.flatMap(([, seq, text]) => {
    const fact = [...FIRST_DAY, /第\d+天的决定：[^。]*。/.exec(text!)?.[0]].find(
      each => each !== undefined && text!.includes(each),
    )
    return fact === undefined ? [] : [{ text: fact, seq: Number(seq) }]
  })
  return JSON.stringify({
    summary: '小王和助手谈了货柜、吊车和发票，还没有结论，约好之后再继续核对。'.repeat(3),
    events: [],
    details: [],
    extracts: facts,
    memo: {},
  })
}

async function takeTurn(chat: Session, { day, turn }: { day: number; turn: number }): Promise<void> {
  const fact = day === 1 ? FIRST_DAY[turn - 1] : undefined
  const decision = turn === 10 ? `第${day}天的决定：货柜 ${day * 100} 走海运。` : ''
  await chat.append({
    role: 'user',
    content: `${fact ?? decision}${TALK.repeat(4)}`,
    sender: { id: 'wang', name: '小王' },
  })
  await chat.append({ role: 'assistant', content: `好的，我记下了。${TALK}` })
}

describe.each(Object.entries(PLACES))('a chat of 200 turns, on %s', (_, newPlace) => {
  it('has facts of day one in the context on day ten, through 历史摘要, after all their segments were condensed', async () => {
    const clock = new Clock(Date.UTC(2026, 2, 2, 1))
    const place = newPlace()
    const errors: unknown[] = []
    const palimpsest = await createPalimpsest({
      store: await place.open(),
      policy: rounds(),
      summarizer: modelSummarizer(scriptedModel(answer), { maxRetries: 0 }),
      clock: clock.read,
      zone: 'Asia/Shanghai',
      memory: { extract: 'batch' },
      onError: error => errors.push(error),
    })
    const chat = palimpsest.session('telegram:42', { kind: 'private', user: 'wang' })
    for (let day = 1; day <= DAYS; day++) {
      for (let turn = 1; turn <= TURNS_A_DAY; turn++) {
        await takeTurn(chat, { day, turn })
        expect(await palimpsest.settled()).toBe(true)
        clock.pass({ minutes: 10 })
      }
      if (day < DAYS) clock.now = Date.UTC(2026, 2, 2 + day, 1)
    }
    await chat.append({ role: 'user', content: '我的船停在哪里？' })
    const context = await chat.context()
    checkBlocks(context)
    expect(errors).toEqual([])
    expect((await chat.info())!.turns).toBeGreaterThanOrEqual(DAYS * TURNS_A_DAY)

    const facts = (await chat.memory.facts()).filter(({ line }) =>
      FIRST_DAY.some(fact => line.includes(fact)),
    )
    expect(facts).toHaveLength(FIRST_DAY.length)
    const shown = await chat.segments()
    for (const { origin } of facts) {
      const over = shown.filter(({ fromSeq, toSeq }) => fromSeq <= origin.toSeq && origin.fromSeq <= toSeq)
      expect(over.length).toBeGreaterThan(0)
      for (const { level } of over) expect(level).toBeGreaterThan(1)
    }
    const memory = blockIn(context.instructions, 'chat_memory')!
    expect(memory).toContain('## 历史摘要')
    for (const fact of FIRST_DAY) {
      expect(memory).toContain(`- 2026-03-02: ${fact}`)
      // From nowhere else.
      expect(JSON.stringify(context.messages)).not.toContain(fact)
    }
    // The daily log is of two days: nothing of the first one is in it.
    expect(blockIn(context.instructions, 'daily_log') ?? '').not.toContain('2026-03-02')
    await palimpsest.close()
    await place.remove()
  })
})
