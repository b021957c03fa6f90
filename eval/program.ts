import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Progress, type Terminal } from '../packages/cli/src/terminal.ts'
import { InvalidArgumentError, PalimpsestError } from '../packages/palimpsest/src/errors.ts'
import type { Conversation } from './conversation.ts'
import { DATA_FORMAT, readData } from './read-data.ts'
import type { RecallReport } from './recall/index.ts'
import type { RecalledReport } from './recalled/index.ts'
import { dataFigures, describeEvaluation, type Evaluation, evaluationJson } from './report.ts'
import type { Retention } from './retention/index.ts'

const USAGE = `npm run eval -- [--data FOLDER_OR_FILES…] [--only recall|retention|recalled] [--json]

Measures on conversations with questions how well answers are found again (recall) and what of them is left
after folding (retention), and what a context recalls of them (recalled). Figures go to standard output, progress to standard error.

  --data FOLDER_OR_FILES…  default: ../shared/data/locomo, where there is one
  --only PART              one of recall, retention, recalled
  --json                   print one JSON object, and nothing else
  -h, --help               print this

${DATA_FORMAT}
`

const PARTS = ['recall', 'retention', 'recalled'] as const
type Part = (typeof PARTS)[number]

/** What was asked for, or the data, cannot be taken. */
const REFUSED = 2

const DEFAULT_FOLDER = fileURLToPath(new URL('../../shared/data/locomo', import.meta.url))

/** Runs the command line and answers with its exit code. */
export async function main(
  args: readonly string[],
  terminal: Terminal,
  { usualFolder = DEFAULT_FOLDER }: { usualFolder?: string } = {},
): Promise<number> {
  try {
    const options = readOptions(args, usualFolder)
    if (options === 'help') terminal.output.write(USAGE)
    else {
      const evaluation = await evaluate(options, terminal)
      terminal.output.write(options.json ? `${evaluationJson(evaluation)}\n` : describeEvaluation(evaluation))
    }
    return 0
  } catch (error) {
    if (!PalimpsestError.isInstance(error)) throw error
    if (args.includes('--json')) terminal.output.write(`${JSON.stringify({ error })}\n`)
    terminal.error.write(`eval: ${error.message}\n`)
    return REFUSED
  }
}

interface Options {
  readonly data: readonly string[]
  readonly json: boolean
  readonly parts: readonly Part[]
}

function readOptions(args: readonly string[], usualFolder: string): Options | 'help' {
  const { values, positionals } = parse(args)
  if (values.help) return 'help'
  const only = PARTS.find(part => part === values.only)
  if (values.only !== undefined && only === undefined)
    throw new InvalidArgumentError('--only', values.only, PARTS.join(', '))
  // A shell makes many words of `--data folder/*.jsonl`.
  const data = [...values.data, ...positionals]
  return {
    data: data.length > 0 ? data : usualData(usualFolder),
    json: values.json,
    parts: only ? [only] : PARTS,
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        data: { type: 'string', multiple: true, default: [] },
        only: { type: 'string' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
  } catch (error) {
    throw new PalimpsestError(
      'invalid_argument',
      `${(error as Error).message}\n\n${USAGE}`,
      {},
      { cause: error },
    )
  }
}

function usualData(folder: string): readonly string[] {
  if (existsSync(folder)) return [folder]
  throw new PalimpsestError(
    'file_not_found',
    `There is no folder ${folder}. Name your own: npm run eval -- --data FOLDER\n${DATA_FORMAT}`,
    { file: folder },
  )
}

async function evaluate({ data, parts }: Options, terminal: Terminal): Promise<Evaluation> {
  const conversations = await readData(data)
  return {
    data: dataFigures(conversations),
    ...(parts.includes('recall') && { recall: await recall(conversations, terminal) }),
    ...(parts.includes('retention') && { retention: await retention(conversations, terminal) }),
    ...(parts.includes('recalled') && { recalled: await recalled(conversations, terminal) }),
  }
}

async function recall(conversations: readonly Conversation[], terminal: Terminal): Promise<RecallReport> {
  const { measureRecall } = await import('./recall/index.ts')
  const progress = new Progress(terminal, 'recall')
  progress.update(0)
  try {
    return measureRecall(conversations)
  } finally {
    progress.end()
  }
}

async function retention(conversations: readonly Conversation[], terminal: Terminal): Promise<Retention> {
  const { measureRetention } = await import('./retention/index.ts')
  const progress = new Progress(terminal, 'retention')
  try {
    return await measureRetention(conversations, { onProgress: share => progress.update(share) })
  } finally {
    progress.end()
  }
}

async function recalled(conversations: readonly Conversation[], terminal: Terminal): Promise<RecalledReport> {
  const { measureRecalled } = await import('./recalled/index.ts')
  const progress = new Progress(terminal, 'recalled')
  try {
    return await measureRecalled(conversations, { onProgress: share => progress.update(share) })
  } finally {
    progress.end()
  }
}
