import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
import { MAIN, run, runHere, shell, temporaryFolder, transcript } from './run.ts'

const folder = temporaryFolder()
afterAll(() => folder.remove())

const file = folder.file('chat.jsonl', transcript(80))
const wordy = folder.file('wordy.jsonl', wordyTranscript(120))

/** Long enough for prompt caches, with a night in the middle. */
function wordyTranscript(length: number): string {
  return Array.from({ length }, (_, index) =>
    JSON.stringify({
      role: index % 2 === 0 ? 'user' : 'assistant',
      text: `Message ${index}: ${'lemons for Porto, and a boat '.repeat(15)}`,
      at: new Date(Date.UTC(2026, 0, index < length / 2 ? 5 : 6, 8, 0, index * 20)).toISOString(),
    }),
  ).join('\n')
}

async function replayJson(args: readonly string[], how: typeof run | typeof runHere = runHere) {
  const { code, stdout, stderr } = await how(['replay', ...args, '--json'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout)
}

/** The rows of the table that stands under such a heading, by their first cell. */
function rowsUnder(heading: RegExp, text: string): string[] {
  const lines = text.split('\n')
  const begin = lines.findIndex(line => heading.test(line)) + 2
  return lines.slice(begin, lines.indexOf('', begin))
}

describe('of one policy, as JSON', () => {
  test('is one object and nothing else', async () => {
    const result = await replayJson([file, '--policy', 'window'], run)
    expect(Object.keys(result).slice(0, 3)).toEqual(['policy', 'settings', 'messages'])
    expect(result).toMatchObject({ policy: 'window', messages: 80, tokens: { log: expect.any(Number) } })
    expect(result.folds).toEqual([
      { at: 52, fromSeq: 1, toSeq: 12, type: 'lite', reason: 'window', severity: 30 },
      { at: 64, fromSeq: 13, toSeq: 24, type: 'lite', reason: 'window', severity: 30 },
      { at: 76, fromSeq: 25, toSeq: 36, type: 'lite', reason: 'window', severity: 30 },
    ])
    expect(result.cost.calls.reply.calls).toBe(40)
    expect(result.baselines.map(({ name }: { name: string }) => name)).toEqual([
      'no memory',
      'last 40 messages',
    ])
  })

  test('takes settings, with the policy or beside it', async () => {
    const settings = { fullContextTurns: 2, cachedContextTurns: 30 }
    const shared = ['--set', 'fullContextTurns=2', '--set', 'cachedContextTurns=30']
    const beside = await replayJson([file, '--policy', 'rounds', ...shared])
    // Numbers of one policy choose it.
    expect(await replayJson([file, ...shared])).toEqual(beside)
    expect(beside).toMatchObject({ settings, folds: [{ at: 64, fromSeq: 1, toSeq: 60 }] })
    expect(await replayJson([file, '--policy', 'rounds,fullContextTurns=2,cachedContextTurns=30'])).toEqual(
      beside,
    )
  })

  test('reads standard input, Windows line ends, a byte order mark, empty lines and an unfinished last one', async () => {
    const stdin = `\uFEFF\r\n${transcript(21).trimEnd().replaceAll('\n', '\r\n\r\n')}`
    const { code, stdout } = await run(['replay', '-', '--policy', 'count', '--json'], { stdin })
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      messages: 21,
      folds: [{ at: 21, fromSeq: 1, toSeq: 11 }],
    })
  })

  test('reads a pipe, though it can be read only once', async () => {
    const command = `cat "${file}" | "${process.execPath}" "${MAIN}" replay /dev/stdin --policy count --json`
    expect(JSON.parse((await shell(command)).stdout)).toMatchObject({ messages: 80 })
  })

  test('a reader who stops early is no error', async () => {
    const command = `"${process.execPath}" "${MAIN}" replay "${wordy}" --json | head -c 10`
    expect(await shell(command)).toEqual({ code: 0, stdout: '{"policy":', stderr: '' })
  })

  test('an empty file is an empty conversation', async () => {
    const empty = folder.file('empty.jsonl', '')
    expect(await replayJson([empty])).toMatchObject({ policy: 'tokens', messages: 0, folds: [] })
  })

  test('a warning goes to standard error', async () => {
    const args = ['replay', file, '--policy', 'window', '--set', 'contextSize=41', '--json']
    const { code, stdout, stderr } = await run(args)
    expect(code).toBe(0)
    expect(stderr).toContain('warning: window: tailKeepSize (40)')
    JSON.parse(stdout)
  })

  test('has what it was told of the prices and the rest', async () => {
    const result = await replayJson([
      ...[wordy, '--prices', 'local,input=2', '--summarizer-prices', 'uncached', '--ratio', '0.5'],
      ...[
        '--overhead',
        '100',
        '--calls',
        '5',
        '--extraction',
        'batch',
        '--keep-last',
        '7',
        '--kind',
        'group',
      ],
    ])
    expect(result).toMatchObject({
      settings: { idleSec: 'none' },
      prices: { name: 'local input=2', input: 2, cacheLifetimeSec: 'Infinity' },
      summarizerPrices: { name: 'uncached' },
      assumptions: { overheadTokens: 100, summaryRatio: 0.5, calls: 5, extraction: 'batch' },
      transcripts: [{ path: wordy, title: null, format: 'palimpsest', kind: 'group', messages: 120 }],
      baselines: [{ name: 'no memory' }, { name: 'last 7 messages' }],
    })
    expect(result.cost.calls.reply.calls).toBe(24)
    expect(result.cost.calls.extraction.calls).toBeGreaterThan(0)
  })

  test('extractive summaries cost nothing', async () => {
    const result = await replayJson([wordy, '--policy', 'count', '--summarizer', 'extractive'])
    expect(result.folds.length).toBeGreaterThan(0)
    expect(result.cost.total).toBe(result.cost.calls.reply.money)
    expect(result.assumptions).toMatchObject({ summarizer: 'extractive', summaryRatio: null })
  })
})

describe('of several', () => {
  test('shows a person all policies and bots without a memory, in lines that fit a screen', async () => {
    const { code, stdout, stderr } = await run(['replay', wordy])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const rows = rowsUnder(/^policy .* folds/, stdout)
    expect(rows.map(row => /^\w+( \w+)*/.exec(row)?.[0])).toEqual([
      ...['resize', 'count', 'rounds', 'window', 'tokens', 'no memory', 'last 40 messages'],
    ])
    for (const row of rows) {
      expect(row).toContain('$')
      expect(row.length).toBeLessThanOrEqual(100)
    }
    expect(stdout).toContain('would have been cheapest')
    expect(stdout).toContain('Prices of claude-haiku-4-5: $1.00 input')
  })

  test('shows every fold of one', async () => {
    const { stdout } = await runHere(['replay', file, '--policy', 'count'])
    expect(rowsUnder(/at message/, stdout)[0]).toMatch(/^\s*21\s+1–11\s+11\s+lite\s+count\s+50$/)
    expect(rowsUnder(/^policy/, stdout)).toHaveLength(3)
  })

  test('a shared setting goes to those that know it', async () => {
    const policies = ['--policy', 'rounds', '--policy', 'tokens,budget=8000', '--policy', 'tokens']
    const { runs, sweep } = await replayJson([wordy, ...policies, '--set', 'fullContextTurns=5'])
    expect(sweep).toBe(null)
    expect(runs).toMatchObject([
      { name: 'rounds fullContextTurns=5', policy: 'rounds', settings: { fullContextTurns: 5 } },
      { name: 'tokens budget=8000', policy: 'tokens', settings: { budget: 8000 } },
      { name: 'tokens', kind: 'policy', settings: {} },
      { name: 'no memory', kind: 'baseline', policy: null },
      { name: 'last 40 messages', kind: 'baseline', policy: null },
    ])
  })

  test('CSV has a row for each, and for each value that was tried', async () => {
    const sweep = ['--sweep', 'fullContextTurns=2..4', '--sweep', 'cachedContextTurns=1,3']
    const { code, stdout } = await run(['replay', wordy, '--policy', 'rounds', ...sweep, '--csv'])
    expect(code).toBe(0)
    const [header, ...rows] = stdout.trimEnd().split('\r\n')
    const columns = header!.split(',')
    expect(columns.slice(0, 6)).toEqual(['kind', 'name', 'policy', 'settings', 'currency', 'money'])
    const cells = rows.map(row => row.split(','))
    for (const row of cells) expect(row).toHaveLength(columns.length)
    expect(cells.map(([kind]) => kind)).toEqual([
      ...['policy', 'baseline', 'baseline'],
      ...Array.from({ length: 6 }, () => 'sweep'),
    ])
    expect(cells[3]!.slice(1, 4)).toEqual([
      'rounds fullContextTurns=2 cachedContextTurns=1',
      'rounds',
      'fullContextTurns=2 cachedContextTurns=1',
    ])
    for (const row of cells) expect(Number(row[5])).toBeGreaterThan(0)
  })

  test('a sweep shows each value, and which is best', async () => {
    const args = [wordy, '--policy', 'rounds', '--sweep', 'fullContextTurns=2..6:2']
    const { stdout } = await runHere(['replay', ...args])
    const rows = rowsUnder(/^fullContextTurns +cost/, stdout)
    expect(rows.map(row => Number.parseInt(row, 10))).toEqual([2, 4, 6])
    expect(rows.filter(row => / best /.test(row))).toHaveLength(1)
    expect(stdout).toMatch(/^Best: fullContextTurns=\d at \$/m)
    expect(stdout).not.toContain('at message')
    const next = await replayJson([file, '--policy', 'rounds', '--sweep', 'fullContextTurns=3..4'])
    expect(next.sweep.points.map(({ values }: { values: object }) => values)).toEqual([
      { fullContextTurns: 3 },
      { fullContextTurns: 4 },
    ])
  })
})

describe('several conversations', () => {
  const conversations = folder.file(
    'conversations.json',
    JSON.stringify([chatgpt('爬山', 24), chatgpt('Bread', 2)]),
  )

  test('of several files, are added up', async () => {
    const result = await replayJson([conversations, file, '--policy', 'count'], run)
    expect(result.messages).toBe(106)
    expect(result.transcripts).toMatchObject([
      { path: conversations, title: '爬山', format: 'chatgpt', messages: 24 },
      { path: conversations, title: 'Bread', messages: 2 },
      { path: file, title: null, messages: 80 },
    ])
    expect(result.folds.slice(0, 2)).toMatchObject([
      { transcript: 0, at: 21, fromSeq: 1, toSeq: 11 },
      { transcript: 2, at: 21, fromSeq: 1, toSeq: 11 },
    ])
  })

  test('are listed, so that a fold can be found', async () => {
    const { stdout } = await runHere(['replay', conversations, '--policy', 'count'])
    expect(stdout).toContain('2 conversations: 26 messages')
    expect(stdout).toMatch(/^ +1 {2}.*conversations\.json "爬山" \(ChatGPT\): 24 messages/m)
    expect(rowsUnder(/conversation +at message/, stdout)[0]).toMatch(/^ +1 +21 +1–11 /)
    const one = await replayJson([conversations, '--conversation', 'Bread'])
    expect(one).toMatchObject({ messages: 2, transcripts: [{ title: 'Bread' }] })
  })

  test('where nobody replies, a model is asked now and then', async () => {
    const line = (index: number) =>
      JSON.stringify({ role: 'user', text: `${index}`, sender: `u${index % 3}` })
    const irc = folder.file('irc.jsonl', Array.from({ length: 30 }, (_, index) => line(index)).join('\n'))
    expect(await replayJson([irc])).toMatchObject({
      assumptions: { calls: 12 },
      cost: { calls: { reply: { calls: 2, outputTokens: 0 } } },
      transcripts: [{ kind: 'group' }],
    })
    const short = folder.file('one.jsonl', '{"role":"user","text":"hi"}\n')
    expect((await runHere(['replay', short])).stdout).toContain(
      'No reply was asked for: there are fewer than 12',
    )
  })
})

function chatgpt(title: string, length: number) {
  const nodes = Array.from({ length }, (_, index) => {
    const author = { role: index % 2 ? 'assistant' : 'user' }
    const content = { content_type: 'text', parts: [`${index}`] }
    return [
      `n${index}`,
      { message: { id: `${index}`, author, content }, parent: index ? `n${index - 1}` : null },
    ]
  })
  return { conversation_id: title, title, current_node: `n${length - 1}`, mapping: Object.fromEntries(nodes) }
}

describe('a page', () => {
  test('is written beside the table, and needs nothing else', async () => {
    const page = `${folder.path}/costs.html`
    const { code, stdout, stderr } = await run(['replay', wordy, '--policy', 'tokens', '--html', page])
    expect({ code, stderr }).toEqual({ code: 0, stderr: `The page is in ${page}\n` })
    expect(stdout).toContain('tokens would have cost')
    const html = readFileSync(page, 'utf8')
    expect(html).toMatch(/^<!doctype html>[\s\S]*<svg[\s\S]*<\/html>\n$/)
    expect(html).not.toMatch(/https?:|<script|<link|<img/)
  })

  test('or printed in its place', async () => {
    const { stdout } = await run(['replay', file, '--policy', 'count', '--html', '-'], { cwd: folder.path })
    expect(stdout).toMatch(/^<!doctype html>[\s\S]*<\/html>\n$/)
    expect(readdirSync(folder.path)).not.toContain('-')
  })
})

describe('a clear error', () => {
  test('names every line that it cannot take', async () => {
    const bad = folder.file(
      'bad.jsonl',
      Buffer.concat([
        Buffer.from(
          '{"role":"user","text":"fine"}\nnot json\n{"role":"bot","text":"x"}\n\n{"role":"user","text":""}\n',
        ),
        Buffer.from([0x7b, 0xff, 0x7d, 0x0a]),
        Buffer.from(
          '{"role":"user","text":"a","externalId":"1"}\n{"role":"user","text":"b","externalId":"1"}\n',
        ),
      ]),
    )
    const { code, stdout, stderr } = await run(['replay', file, bad, '--policy', 'count', '--json'])
    expect(code).toBe(65)
    const { error } = JSON.parse(stdout)
    expect(error.code).toBe('invalid_transcript')
    expect(error.details.problems.map((problem: { line: number }) => problem.line)).toEqual([2, 3, 5, 6, 8])
    expect(stderr).toContain('line 3: role: "bot" cannot be taken; allowed: system, user, assistant, tool')
  })

  test('is the only thing on standard output with --json', async () => {
    const { code, stdout } = await run(['replay', file, 'nowhere.jsonl', '--json'])
    expect(code).toBe(66)
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'file_not_found' } })
    expect(JSON.parse((await runHere(['replay', file, '--json', '--csv'])).stdout)).toMatchObject({
      error: { code: 'invalid_usage' },
    })
  })

  // The file is broken, so that whatever is found only after reading would be another error.
  test.each([
    [['nowhere.jsonl'], 66, 'There is no file nowhere.jsonl'],
    [['/'], 66, 'is a folder'],
    [['-', '-'], 64, 'only once'],
    [['FILE', '--policy', 'round'], 78, 'policy: "round" cannot be taken; allowed: resize, count, rounds'],
    [['FILE', '--policy', 'rounds', '--set', 'A=1'], 78, 'A is no setting here; allowed: the settings'],
    [['FILE', '--policy', 'rounds', '--set', 'fullContextTurns'], 64, 'name=value'],
    [['FILE', '--policy', 'rounds,fullContextTurns'], 64, 'name,setting=value'],
    [['FILE', '--set', 'budget=900'], 64, 'only together with --policy'],
    [
      ['FILE', '--set', 'fullContextTurns=1', '--set', 'threshold=3'],
      64,
      'threshold for count; fullContextTurns for rounds',
    ],
    [
      ['FILE', '--policy', 'rounds', '--policy', 'tokens', '--set', 'threshold=1'],
      64,
      'the settings of rounds and tokens: ',
    ],
    [['FILE', '--sweep', 'budget=1..3'], 64, 'only together with --policy'],
    [['FILE', '--policy', 'count', '--policy', 'rounds', '--sweep', 'budget=1..3'], 64, 'one policy'],
    [['FILE', '--policy', 'tokens', '--sweep', 'boundary=message,turn'], 64, 'name=FROM..TO'],
    [['FILE', '--policy', 'tokens', '--sweep', 'fullContextTurns=1..3'], 64, 'budget, lowWater, idleSec'],
    [['FILE', '--policy', 'tokens', '--sweep', 'budget=1000..30000'], 64, 'budget=1000..30000:2000'],
    [['FILE', '--policy', 'tokens', '--sweep', 'lowWater=0..1'], 78, 'lowWater: 0 cannot be taken'],
    [['FILE', '--policy', 'tokens', '--sweep', 'lowWater=0..1'], 78, 'lowWater: 1 cannot be taken'],
    [
      ['FILE', '--policy', 'count', '--sweep', 'threshold=1..30', '--sweep', 'keepLast=1..30'],
      64,
      '900 combinations',
    ],
    [['FILE', '--prices', 'gpt-5-mine'], 64, 'gpt-5-mini (the nearest)'],
    [['FILE', '--ratio', '0'], 64, '--ratio: "0" cannot be taken; allowed: a number above 0, at most 1'],
    [['FILE', '--ratio', '0.5', '--summarizer', 'extractive'], 64, 'only with --summarizer simulated'],
    [['FILE', '--overhead', '16000'], 64, 'less than the budget of tokens, 16000'],
    [['FILE', '--calls', 'x'], 64, 'replies, or a whole number of at least 1'],
    [['FILE', '--html', '/nowhere/x.html'], 73, '/nowhere/x.html cannot be written: there is no such folder'],
    [['FILE', '--html', 'FILE'], 73, 'it is there already, and no .html file'],
    [['FILE', '--html', '-', '--csv'], 64, 'the name of a file, beside --csv'],
  ])('%j', async (args, code, message) => {
    const broken = `${folder.path}/broken.jsonl`
    const ran = await runHere(['replay', ...args.map(arg => (arg === 'FILE' ? broken : arg))])
    expect(ran).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(message) })
  })
  folder.file('broken.jsonl', 'not json\n')

  test('says which policy has no room', async () => {
    const ran = await runHere(['replay', wordy, '--policy', 'count', '--policy', 'tokens,budget=20'])
    expect(ran).toMatchObject({ code: 65, stdout: '' })
    expect(ran.stderr).toContain('tokens budget=20: A context of 20 tokens has no room')
  })
})

describe('on a screen', () => {
  const long = 'rounds,fullContextTurns=6,cachedContextTurns=4'

  test.each([40, 60, 80, 100, 140])('of %i columns no line is longer', async columns => {
    const { code, stdout } = await runHere(['replay', wordy, '--policy', 'window', '--policy', long], columns)
    expect(code).toBe(0)
    const lines = stdout.split('\n').filter(line => !line.includes(folder.path))
    expect(lines.filter(line => line.length > columns)).toEqual([])
    expect(stdout.includes('No room for: ')).toBe(columns < 80)
    expect(stdout.includes('rounds fullContextTurns=6 cachedContextTurns=4  $')).toBe(columns === 140)
    expect(stdout).toMatch(/^no memory +\$/m)
  })

  test('says how far it is, in one line that it takes away', async () => {
    const { stderr } = await runHere(['replay', wordy], 20)
    expect(stderr).toContain('\r\u001b[Kreplaying')
    expect(stderr.endsWith('\r\u001b[K')).toBe(true)
    for (const drawn of stderr.split('\r\u001b[K')) expect(drawn.length).toBeLessThan(20)
  })
})

test('Ctrl-C ends a long replay at once, with a word and without a page', async () => {
  const page = `${folder.path}/interrupted.html`
  // The warning comes right before the work, which takes a minute or more.
  const policy = ['--policy', 'window', '--set', 'contextSize=41', '--sweep', 'tailKeepSize=1..40']
  let interruptedAt = 0
  const ran = await run(
    ['replay', folder.file('long.jsonl', wordyTranscript(6_000)), ...policy, '--html', page],
    {
      onStderr: child => {
        if (interruptedAt > 0) return
        interruptedAt = Number.POSITIVE_INFINITY
        setTimeout(() => {
          interruptedAt = performance.now()
          child.kill('SIGINT')
        }, 1_000)
      },
    },
  )
  expect(performance.now() - interruptedAt).toBeLessThan(20_000)
  expect(ran).toMatchObject({ code: 130, stdout: '', stderr: expect.stringMatching(/\nInterrupted.*\n$/) })
  expect(existsSync(page)).toBe(false)
})

test('--help says what is allowed, in lines that fit a screen', async () => {
  const { code, stdout } = await runHere(['replay', '--help'])
  expect(code).toBe(0)
  for (const word of ['fullContextTurns', 'claude-haiku-4-5', 'Examples:']) expect(stdout).toContain(word)
  const wide = stdout.split('\n').filter(line => line.length > 110)
  expect(wide).toEqual([])
})
