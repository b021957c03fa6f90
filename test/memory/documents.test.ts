import { expect, it } from 'vitest'
import { type Summarizer, tokens } from '../../packages/palimpsest/src/index.ts'
import { ANN, clock, scripted, start } from './chat-kit.ts'

it.each(['', "I'm sorry, but I can't help with that.", 'Error generating summary: 429 Too Many Requests'])(
  'an answer that is no summary (%j) does not become memory',
  async answer => {
    const summarizer: Summarizer = {
      ...scripted(undefined),
      summarize: async ({ of, messages, extracts }) => ({
        text: of === 'summaries' ? answer : 'Ann told about her harvest of apples and pears in the valley.',
        events: [],
        details: [],
        ...(extracts && {
          extracts: messages.slice(0, 3).map(({ seq }) => ({
            text: `Ann harvested field number ${seq} with its ${seq * 11} apple trees`,
            on: '2026-03-02',
            seq,
          })),
        }),
      }),
    }
    const palimpsest = await start({
      summarizer,
      folding: 'manual',
      policy: tokens({ budget: 4_000 }),
      memory: { budgets: { chat: 250 } },
    })
    const chat = palimpsest.session('a', ANN)
    for (let fold = 0; fold < 6; fold++) {
      for (let index = 0; index < 12; index++)
        await chat.append([
          { role: 'user', content: `We harvest the field ${fold}.${index} `.repeat(12) },
          { role: 'assistant', content: 'Good.' },
        ])
      clock.now += 86_400_000
      await chat.compact({ force: true })
    }
    const { content, tokens: size } = (await chat.memory.read())!
    expect(content).toMatch(/\[\d+ lines\] \S/)
    if (answer !== '') expect(content).not.toContain(answer)
    expect(size).toBeLessThan(400)
  },
)

it('the newest line is not condensed away, wherever it stands', async () => {
  const palimpsest = await start({ folding: 'manual', memory: { budgets: { chat: 300 } } })
  const tools = await palimpsest.session('a', ANN).memoryTools()
  const write = (section: string, content: string) => tools.execute('write_chat_memory', { section, content })
  await write('Upper', 'The first line of the upper section')
  for (let index = 0; index < 20; index++)
    await write('Lower', `The line number ${index} of the lower section, which is rather long`)
  await write('Upper', 'The newest line of all, in the upper section')
  const chat = palimpsest.session('a')
  expect((await chat.memory.read())!.content).toContain('The newest line of all')
  expect((await chat.memory.undo()).content).not.toContain('The newest line of all')
})

it('an undo after a redo takes back the same change again', async () => {
  const palimpsest = await start({ folding: 'manual' })
  const { global } = palimpsest.memory
  await global.replace('- first')
  await global.append('- second')
  const { version } = await global.undo()
  await global.undo({ version })
  expect((await global.undo()).content).toBe('- first\n')
})

it('what tools said is found and read, too', async () => {
  const palimpsest = await start({ folding: 'manual' })
  const chat = palimpsest.session('a', ANN)
  await chat.append({ role: 'user', content: 'What does it cost?' })
  const call = { toolCallId: 'c1', toolName: 'price' }
  await chat.append({ role: 'assistant', content: [{ type: 'tool-call', ...call, input: { of: 'bike' } }] })
  await chat.append({ role: 'tool', content: [{ type: 'tool-result', ...call, output: 'It is 4711 euros' }] })
  const tools = await chat.memoryTools()
  expect(JSON.stringify(await tools.execute('query_history', { query: '4711' }))).toContain('4711 euros')
  expect(JSON.stringify(await tools.execute('expand_history', { fromSeq: 3 }))).toContain('4711 euros')
  expect(await tools.execute('query_history', { query: 'x', constructor: 'y' })).toHaveProperty('error')
})
