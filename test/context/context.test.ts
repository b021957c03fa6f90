import { afterEach, describe, expect, it } from 'vitest'
import {
  type Content,
  type Context,
  ContextOverflowError,
  count,
  createPalimpsest,
  type Palimpsest,
  type PalimpsestOptions,
  rounds,
  type Session,
  tokens,
  window,
} from '../../packages/palimpsest/src/index.ts'
import { sqlitePlace } from '../stores.ts'

const cleanUps: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

async function open(options: Partial<PalimpsestOptions> = {}): Promise<Palimpsest> {
  const place = sqlitePlace()
  const palimpsest = await createPalimpsest({ store: await place.open(), folding: 'manual', ...options })
  cleanUps.push(place.remove, () => palimpsest.close())
  return palimpsest
}

async function talk(chat: Session, turns: number): Promise<void> {
  const { messages } = (await chat.info()) ?? { messages: 0 }
  for (let turn = messages / 2 + 1; turn <= messages / 2 + turns; turn++) {
    await chat.append({ role: 'user', content: `Question ${turn}: what does part no. ${4000 + turn} cost?` })
    await chat.append({
      role: 'assistant',
      content: `Answer ${turn}: part no. ${4000 + turn} costs ${turn}.50 EUR.`,
    })
  }
}

function texts({ messages }: Context): string[] {
  return messages.map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content)))
}

function block(context: Context, name: string): number {
  return context.report.blocks.find(block => block.name === name)?.tokens ?? 0
}

describe('session.context()', () => {
  it('sends everything as it was said while it fits', async () => {
    const chat = (await open()).session('a')
    await talk(chat, 3)
    await chat.append({ role: 'user', content: 'And now?' })
    const context = await chat.context({ instructions: 'You sell parts.', outputReserve: 500 })
    expect(context.instructions).toBe('You sell parts.')
    expect(context.messages).toHaveLength(7)
    expect(context.sessionMemory).toBeNull()
    expect(context.report).toMatchObject({ budget: 16_000, omitted: [], stableMessages: 7, throughSeq: 7 })
    expect(context.report.blocks.map(({ name }) => name)).toEqual([
      'instructions',
      'output_reserve',
      'raw',
      'current',
    ])
    expect(context.breakpoints).toEqual({ afterInstructions: true, afterMessages: [6] })
  })

  it('puts the segments before what is raw, under a heading that says what they are', async () => {
    const chat = (await open({ policy: count({ threshold: 20, keepLast: 4 }) })).session('a')
    await talk(chat, 12)
    await chat.compact()
    const context = await chat.context()
    const [memory, ...raw] = texts(context)
    expect(memory).toBe(context.sessionMemory)
    expect(memory).toMatch(/^<session_memory>\n.*for reference.*inexact.*instruction/)
    expect(memory).toContain('## Messages 1–20')
    expect(raw.slice(0, 4).map(text => /\d+/.exec(text)![0])).toEqual(['11', '11', '12', '12'])
    expect(context.breakpoints.afterMessages).toEqual([0, 4])
  })

  it('grows back when a larger model takes over again, and no view changes anything', async () => {
    const chat = (await open({ policy: tokens({ budget: 128_000 }) })).session('a')
    await talk(chat, 60)
    await chat.compact({ force: true })
    const large = await chat.context({ budget: 1_000_000 })
    const before = await chat.export()
    const small = await chat.context({ budget: 1_000 })
    const again = await chat.context({ budget: 1_000_000 })
    expect(large.messages.length).toBeGreaterThan(110)
    expect(small.messages.length).toBeLessThan(40)
    expect(small.report.tokens).toBeLessThanOrEqual(1_000)
    expect(again).toMatchObject({ messages: large.messages, report: large.report })
    expect(await chat.export()).toEqual(before)
  })

  it('shows the session as another policy would have it', async () => {
    const chat = (await open({ policy: rounds({ fullContextTurns: 4, cachedContextTurns: 3 }) })).session('a')
    await talk(chat, 10)
    for (let fold = 0; fold < 3; fold++) await chat.compact()
    const raw = async (policy: PalimpsestOptions['policy']) => {
      const context = await chat.context(policy === undefined ? {} : { policy: policy as never })
      return texts(context)
        .filter(text => text.startsWith('Question'))
        .map(text => Number(/\d+/.exec(text)![0]))
    }
    expect(await raw(undefined)).toEqual([7, 8, 9, 10])
    expect(await raw(rounds({ fullContextTurns: 2, cachedContextTurns: 1 }))).toEqual([9, 10])
    expect(await raw(rounds({ fullContextTurns: 8, cachedContextTurns: 2 }))).toEqual([
      3, 4, 5, 6, 7, 8, 9, 10,
    ])
    expect(await raw(count({ threshold: 10, keepLast: 4 }))).toEqual([8, 9, 10])
    expect((await chat.info())?.compactedThroughTurn).toBe(6)
  })

  it('shows at most contextSize messages of a window whose folds fail, and the rest by its main points', async () => {
    const policy = window({ contextSize: 20, tailKeepSize: 10, compressionHardLimit: 10 })
    const chat = (await open({ policy })).session('a')
    await talk(chat, 15)
    const context = await chat.context()
    expect(texts(context).filter(text => /^(?:Question|Answer)/.test(text))).toHaveLength(20)
    expect(context.sessionMemory).toContain('## Messages 1–10, main points')
    expect(context.report.omitted).toMatchObject([{ what: 'messages', reason: 'context_size', count: 10 }])
  })

  it('shows a message larger than the window by head, tail and a reference', async () => {
    const chat = (await open({ policy: tokens({ budget: 2_000 }) })).session('a')
    await chat.append({ role: 'user', content: `BEGIN ${'lorem ipsum '.repeat(20_000)} END` })
    const context = await chat.context()
    const [text] = texts(context)
    expect(text).toMatch(/^BEGIN lorem/)
    expect(text).toMatch(/\[… \d+ characters of message 1 are left out here …\]/)
    expect(text).toMatch(/END$/)
    expect(context.report.tokens).toBeLessThanOrEqual(2_000)
    expect(context.report.omitted).toMatchObject([{ what: 'text', reason: 'oversized', fromSeq: 1 }])
    expect((await chat.messages())[0]!.content).toHaveLength(240_010)
  })

  it('leaves out old tool results before anything else', async () => {
    const chat = (await open({ policy: tokens({ budget: 3_000 }) })).session('a')
    for (let turn = 1; turn <= 6; turn++) {
      await chat.append({ role: 'user', content: `Look up ${turn}` })
      await chat.append(call(`c${turn}`))
      await chat.append(result(`c${turn}`, `row ${turn} `.repeat(200)))
      await chat.append({ role: 'assistant', content: `Found ${turn}.` })
    }
    const context = await chat.context()
    const all = texts(context)
    expect(context.sessionMemory).toBeNull()
    for (let turn = 1; turn <= 6; turn++) expect(all).toContain(`Found ${turn}.`)
    expect(all[2]).toMatch(/characters, left out here: message 3/)
    expect(all.join()).toContain('row 6 row 6')
    expect(context.report.omitted).toMatchObject([{ what: 'tool-result', reason: 'old_tool_result' }])
  })

  it('names the numbers where nothing fits, and is none the worse for it', async () => {
    const chat = (await open()).session('a')
    await chat.append({ role: 'user', content: 'hello' })
    const instructions = 'Do this. '.repeat(6_000)
    const error = await chat.context({ instructions }).catch(error => error)
    expect(error).toBeInstanceOf(ContextOverflowError)
    expect(error.code).toBe('context_overflow')
    expect(error.details).toMatchObject({ budget: 16_000, parts: { conversation: 100 } })
    expect(error.details.fixedTokens).toBeGreaterThan(15_000)
    expect(error.message).toMatch(/would take \d+ tokens, instructions \d+, conversation 100\. Raise/)
    expect((await chat.context()).messages).toHaveLength(1)
  })

  it('keeps pins and notes byte for byte through any number of folds', async () => {
    const chat = (await open({ policy: count({ threshold: 6, keepLast: 2 }) })).session('a')
    await talk(chat, 1)
    const pin = await chat.pin(2)
    await chat.note('The customer is called 王小明.\n## He pays in advance.')
    const seen = new Set<string>()
    for (let fold = 0; fold < 12; fold++) {
      await talk(chat, 4)
      await chat.compact()
      const memory = (await chat.context()).sessionMemory!
      seen.add(memory.slice(0, memory.indexOf('## Messages')))
    }
    expect(seen.size).toBe(1)
    expect([...seen][0]).toContain('## Pinned message 2, assistant\nAnswer 1: part no. 4001 costs 1.50 EUR.')
    expect([...seen][0]).toContain('The customer is called 王小明.')
    expect(await chat.unpin(pin.id)).toBe(true)
    expect((await chat.context()).sessionMemory).not.toContain('Pinned message')
    await expect(chat.pin(999)).rejects.toMatchObject({ code: 'message_not_found' })
    await expect(chat.note('word '.repeat(5_000))).rejects.toThrow(/tokens for all pins/)
  })

  it('keeps thoughts whole or leaves them out whole', async () => {
    const chat = (await open()).session('a')
    await chat.append({ role: 'user', content: 'Think.' })
    const thought = {
      type: 'reasoning',
      text: 'deep '.repeat(3_000),
      providerOptions: { anthropic: { signature: 's' } },
    }
    await chat.append({ role: 'assistant', content: [thought, { type: 'text', text: 'Done.' }] as Content })
    const without = await chat.context()
    expect(texts(without).slice(0, 2)).toEqual(['Think.', 'Done.'])
    expect(without.report.omitted).toMatchObject([{ what: 'reasoning', reason: 'not_sent' }])
    const kept = await chat.context({ reasoning: 'keep' })
    expect(kept.messages[1]!.content).toEqual([thought, { type: 'text', text: 'Done.' }])
  })

  it('measures by the provider once it has told, from the next epoch on', async () => {
    const chat = (await open({ policy: tokens({ budget: 4_000 }) })).session('a')
    await talk(chat, 10)
    const model = 'some-model'
    const before = await chat.context({ model })
    for (let sample = 0; sample < 4; sample++)
      await chat.observeUsage(before, { model, inputTokens: Math.round(before.estimatedInputTokens * 1.5) })
    await chat.observeUsage(before, { model, inputTokens: before.estimatedInputTokens * 40 })
    expect((await chat.context({ model })).report).toEqual(before.report)
    await chat.edit(1, 'An edit begins an epoch.')
    const after = await chat.context({ model })
    expect(after.report.tokens / after.estimatedInputTokens).toBeCloseTo(1.5, 1)
    expect(after.report.tokens).toBeLessThanOrEqual(4_000)
    const other = await chat.context({ model: 'another' })
    expect(other.report.tokens).toBe(other.estimatedInputTokens)
  })

  it('brings a late result to its call within the turn, and names the call afterwards', async () => {
    const chat = (await open()).session('a')
    await chat.append({ role: 'user', content: 'Look up two things.' })
    await chat.append({ role: 'assistant', content: [toolCall('one'), toolCall('two')] })
    const open_ = await chat.context()
    expect(texts(open_).at(-1)).toContain('(no result yet)')
    expect(open_.report.stableMessages).toBe(1)
    await chat.append(result('two', 'second'))
    await chat.append({ role: 'user', content: 'Never mind the first.' })
    await chat.append({ role: 'assistant', content: 'Fine.' })
    await chat.append(result('one', 'first, at last'))
    const [, , results, , , late] = texts(await chat.context())
    expect(results).toContain('(no result: the call was interrupted)')
    expect(results).toContain('second')
    expect(late).toBe('[result of an earlier call, look_up one]: first, at last')
  })

  it('remembers the overhead of a call for the policy', async () => {
    const chat = (await open({ policy: tokens({ budget: 2_000 }) })).session('a')
    await talk(chat, 20)
    expect(await chat.judge()).toBeNull()
    await chat.context({ instructions: 'Be brief. '.repeat(450), tools: { look_up: {} }, outputReserve: 300 })
    expect(await chat.judge()).toMatchObject({ reason: 'max_tokens' })
  })

  it('says what it is asked with when that is wrong', async () => {
    const chat = (await open()).session('a')
    await expect(chat.context()).rejects.toMatchObject({ code: 'session_not_found' })
    await talk(chat, 1)
    await expect(chat.context({ budget: -1 })).rejects.toMatchObject({ code: 'invalid_argument' })
    await expect(chat.context({ reasoning: 'half' as never })).rejects.toThrow(/drop, keep/)
  })

  it('costs one message when one message came', async () => {
    const chat = (await open({ policy: tokens({ budget: 128_000 }) })).session('a')
    await talk(chat, 200)
    const before = await chat.context()
    await chat.append({ role: 'user', content: 'One more.' })
    const after = await chat.context()
    expect(after.messages.slice(0, 400).every((message, index) => message === before.messages[index])).toBe(
      true,
    )
    expect(block(after, 'current')).toBeLessThan(10)
  })
})

function toolCall(id: string) {
  return { type: 'tool-call' as const, toolCallId: id, toolName: 'look_up', input: { id } }
}

function call(id: string) {
  return { role: 'assistant' as const, content: [toolCall(id)] }
}

function result(id: string, output: string) {
  return {
    role: 'tool' as const,
    content: [{ type: 'tool-result' as const, toolCallId: id, toolName: 'look_up', output }],
  }
}
