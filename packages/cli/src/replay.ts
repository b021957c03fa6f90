import type { Assumptions } from '@palimpsest/replay/internals/comparison'
import {
  DEFAULT_KEEP_LAST,
  DEFAULT_OVERHEAD_TOKENS,
  DEFAULT_PRICES,
  DEFAULT_RATIO,
} from '@palimpsest/replay/internals/conditions'
import { describePrices } from '@palimpsest/replay/internals/prices/describe-prices'
import { readSweep, type SweptSetting } from '@palimpsest/replay/internals/sweep'
import { Command, Option } from 'commander'
import { InvalidArgumentError } from 'palimpsest/internals/errors'
import { GROUP_TURN_MESSAGES, type SessionKind } from 'palimpsest/internals/log/index'
import { PRESET_NAMES } from 'palimpsest/internals/policy/index'
import { describePolicies } from './describe-policies.ts'
import { conversationOption, jsonOption, kindOption, selfOption, setOption } from './options.ts'
import { columnsOf, type Terminal } from './terminal.ts'

export interface ReplayFlags {
  readonly policy?: readonly string[]
  readonly set: Readonly<Record<string, string>>
  readonly prices: string
  readonly summarizerPrices?: string
  readonly summarizer: Assumptions['summarizer']
  readonly ratio?: number
  readonly overhead?: number
  readonly calls?: Assumptions['calls']
  readonly extraction: Assumptions['extraction']
  readonly keepLast?: number
  readonly sweep?: readonly SweptSetting[]
  readonly kind?: SessionKind
  readonly self?: string
  readonly conversation?: string
  readonly json?: true
  readonly csv?: true
  readonly html?: string
}

export function replayCommand(terminal: Terminal): Command {
  return new Command('replay')
    .description(
      'Run transcripts through policies, with no model: what would be folded and when, and what it would cost.',
    )
    .argument(
      '<file...>',
      'one message a line, exports of ChatGPT and Telegram, messages of OpenAI or the AI SDK; - for standard input',
    )
    .optionsGroup('What is compared:')
    .addOption(policyOption())
    .addOption(setOption())
    .addOption(sweepOption())
    .addOption(
      numberOption('--keep-last <messages>', 'of the bot without a memory that sends the last messages', {
        usual: String(DEFAULT_KEEP_LAST),
        allowed: 'a whole number of at least 1',
        isAllowed: value => Number.isSafeInteger(value) && value >= 1,
      }),
    )
    .optionsGroup('How it is shown:')
    .option('--html <file>', 'write a page with pictures, too; - for standard output, in place of the table')
    .option('--csv', 'print CSV on standard output: a row for each policy and each swept value')
    .addOption(jsonOption().conflicts('csv'))
    .optionsGroup('What it costs:')
    .option('--prices <prices>', 'a preset (below), name=value pairs, both, or a .json file', DEFAULT_PRICES)
    .option('--summarizer-prices <prices>', 'of the model that writes the summaries (default: the same)')
    .optionsGroup('What is assumed:')
    .addOption(callsOption())
    .addOption(
      numberOption('--overhead <tokens>', 'of instructions and tools in every request', {
        usual: `${DEFAULT_OVERHEAD_TOKENS}, or an eighth of a small budget`,
        allowed: `a whole number from 0 to ${MAX_OVERHEAD_TOKENS}`,
        isAllowed: value => Number.isSafeInteger(value) && value >= 0 && value <= MAX_OVERHEAD_TOKENS,
      }),
    )
    .addOption(
      new Option(
        '--summarizer <kind>',
        'simulated: summaries as a model would write them; extractive: free ones',
      )
        .choices(['simulated', 'extractive'])
        .default('simulated'),
    )
    .addOption(
      numberOption('--ratio <share>', 'how much of its source a simulated summary keeps', {
        usual: String(DEFAULT_RATIO),
        allowed: 'a number above 0, at most 1',
        isAllowed: value => value > 0 && value <= 1,
      }),
    )
    .addOption(
      new Option('--extraction <when>', 'add calls that extract memory of people and projects')
        .choices(['none', 'turn', 'batch'])
        .default('none'),
    )
    .optionsGroup('How the files are read:')
    .addOption(kindOption())
    .addOption(selfOption())
    .addOption(conversationOption())
    .addHelpText('after', () => helpText(Math.min(columnsOf(terminal.output) ?? 80, 110)))
    .action(async (files: readonly string[], flags: ReplayFlags) => {
      // Loads the engine and all readers, so that no other command waits for them.
      const { runReplay } = await import('./run-replay.ts')
      await runReplay(files, flags, terminal)
    })
}

const MAX_OVERHEAD_TOKENS = 1_000_000

function helpText(columns: number): string {
  return `
Policies and their settings (default; what is allowed):
${describePolicies(columns)}

Prices per million tokens; how long the cache keeps, and from how many tokens on:
${describePrices()}

Examples:
  palimpsest replay chat.jsonl
  palimpsest replay chat.jsonl --policy rounds --set fullContextTurns=4 --json
  palimpsest replay chat.jsonl --policy rounds --sweep fullContextTurns=2..12
  palimpsest replay result.json --self "Bot Bo" --prices gpt-5-mini --html costs.html
  palimpsest replay *.jsonl --policy tokens --policy tokens,budget=8000 --csv`
}

const policyOption = () =>
  new Option(
    '--policy <name>',
    `${PRESET_NAMES.join(', ')}; also with settings: rounds,fullContextTurns=6; may be repeated (default: all, with --json tokens)`,
  ).argParser((text: string, earlier: readonly string[] = []) => [...earlier, text])

const sweepOption = () =>
  new Option(
    '--sweep <name=values>',
    'try out a setting: fullContextTurns=2..12, lowWater=0.1..0.9:0.2, idleSec=0,300,3600; once or twice',
  ).argParser((text: string, earlier: readonly SweptSetting[] = []) => [...earlier, readSweep(text)])

const callsOption = () =>
  new Option(
    '--calls <when>',
    `when a model is asked: replies, for each message of the assistant, or N, after every N messages (default: replies, or ${GROUP_TURN_MESSAGES} where nobody replies)`,
  ).argParser((text: string) => {
    if (text === 'replies') return text
    const number = Number(text)
    if (Number.isSafeInteger(number) && number >= 1) return number
    throw new InvalidArgumentError('--calls', text, 'replies, or a whole number of at least 1')
  })

function numberOption(
  flags: string,
  help: string,
  rule: { usual: string; allowed: string; isAllowed: (value: number) => boolean },
): Option {
  const option = new Option(flags, `${help} (default: ${rule.usual})`)
  return option.argParser((text: string) => {
    const value = text.trim() === '' ? Number.NaN : Number(text)
    if (rule.isAllowed(value)) return value
    throw new InvalidArgumentError(option.long ?? flags, text, rule.allowed)
  })
}
