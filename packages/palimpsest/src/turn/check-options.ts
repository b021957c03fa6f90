import { checkThrough } from '../contexts.ts'
import { checkPositive, InvalidArgumentError } from '../errors.ts'
import { checkOptions, optionsOf } from '../known-options.ts'
import type { TurnOptions } from './turn.ts'

const OPTIONS = optionsOf<TurnOptions>({
  instructions: true,
  tools: true,
  model: true,
  memoryTools: true,
  maxSteps: true,
  answers: true,
  reminder: true,
  files: true,
  budget: true,
  outputReserve: true,
  usualReserve: true,
  policy: true,
  throughSeq: true,
  appendPolicy: true,
  query: true,
  reasoning: true,
})

/**
 * Checks what types would catch, for callers without types: a misspelt option would otherwise have no effect.
 */
export function checkTurnOptions(options: unknown): void {
  checkOptions('turn', options, OPTIONS)
  const { tools, memoryTools, maxSteps, answers, reminder, files, throughSeq } = options as Record<
    string,
    unknown
  >
  const isToolSet = typeof tools === 'object' && tools !== null && !Array.isArray(tools)
  if (tools !== undefined && !isToolSet)
    throw new InvalidArgumentError('tools', tools, 'an object of tools by their names')
  if (memoryTools !== undefined && typeof memoryTools !== 'boolean')
    throw new InvalidArgumentError('memoryTools', memoryTools, 'true or false')
  checkThrough({ throughSeq })
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
