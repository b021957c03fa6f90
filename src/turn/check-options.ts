import { checkPositive, InvalidArgumentError } from '../errors.ts'

const OPTIONS = [
  'instructions',
  'tools',
  'model',
  'memoryTools',
  'maxSteps',
  'answers',
  'reminder',
  'files',
  'budget',
  'outputReserve',
  'usualReserve',
  'policy',
  'appendPolicy',
  'query',
  'reasoning',
]

/** What types would have caught, for those who do without: a misspelt option would be lost. */
export function checkTurnOptions(options: unknown): void {
  if (typeof options !== 'object' || options === null)
    throw new InvalidArgumentError('options', options, `an object with ${OPTIONS.join(', ')}`)
  const unknown = Object.keys(options).find(name => !OPTIONS.includes(name))
  if (unknown !== undefined)
    throw new InvalidArgumentError(
      'options',
      unknown,
      unknown === 'system' ? 'instructions, which is what the AI SDK calls it too' : OPTIONS.join(', '),
    )
  const { tools, memoryTools, maxSteps, answers, reminder, files } = options as Record<string, unknown>
  const isToolSet = typeof tools === 'object' && tools !== null && !Array.isArray(tools)
  if (tools !== undefined && !isToolSet)
    throw new InvalidArgumentError('tools', tools, 'an object of tools by their names')
  if (memoryTools !== undefined && typeof memoryTools !== 'boolean')
    throw new InvalidArgumentError('memoryTools', memoryTools, 'true or false')
  if (maxSteps !== undefined) checkPositive('maxSteps', maxSteps)
  if (answers !== undefined && (!Array.isArray(answers) || answers.length === 0))
    throw new InvalidArgumentError('answers', answers, 'the seqs of messages that wait for an answer')
  if (reminder !== undefined && (typeof reminder !== 'string' || reminder.trim() === ''))
    throw new InvalidArgumentError('reminder', reminder, 'text that is not empty')
  if (files !== undefined && !(Array.isArray(files) && files.every(isFile)))
    throw new InvalidArgumentError(
      'files',
      files,
      'a list of { seq, name, data, mediaType }, with data as bytes',
    )
}

function isFile(file: unknown): boolean {
  const { seq, name, data, mediaType } = (file ?? {}) as Record<string, unknown>
  return (
    [typeof seq, typeof name, typeof mediaType].join() === 'number,string,string' &&
    data instanceof Uint8Array
  )
}
