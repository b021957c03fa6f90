import { InvalidArgumentError } from '../errors.ts'
import { isLanguageModel, type LanguageModelLike } from './model/language-model.ts'
import { modelSummarizer } from './model/model-summarizer.ts'
import type { Summarizer } from './summarizer.ts'

/** Wraps a model with the default options; gives a summariser back as it is. Loads the code of neither. */
export function asSummarizer(value: Summarizer | LanguageModelLike): Summarizer {
  if (isLanguageModel(value)) return modelSummarizer(value)
  if (isSummarizer(value)) return value
  throw new InvalidArgumentError(
    'summarizer',
    value,
    "a language model of the AI SDK such as anthropic('claude-haiku-4-5'), modelSummarizer(model, options), or an " +
      'object with name, version and summarize(); left out: the extractive one',
  )
}

function isSummarizer(value: unknown): value is Summarizer {
  const { name, version, summarize } = (value ?? {}) as Partial<Summarizer>
  return typeof summarize === 'function' && typeof name === 'string' && typeof version === 'string'
}
