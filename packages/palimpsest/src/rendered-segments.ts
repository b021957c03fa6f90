import { renderSegment } from './context/index.ts'
import type { Segment } from './log/index.ts'
import type { ContextStore, SessionFile, Store } from './store/index.ts'
import { storeWith } from './store/store-with.ts'
import { estimateTokens } from './tokens/index.ts'

/**
 * Segments of the first schema do not store how the model reads them, and segments of a foreign file may not
 * either. They are rendered at every read, so no reader has to know of them. They stay as they are in the
 * store, since a program of an earlier version may read them too. The same segment gives the same text each
 * time.
 */

type Rendered = Pick<Segment, 'fromSeq' | 'toSeq' | 'summary' | 'events' | 'details' | 'text' | 'tokensAfter'>

export function renderedStore(store: Store): Store {
  const { folds, context, rebuilds, transfer } = store
  return storeWith(store, {
    folds: {
      ...folds,
      readSegments: async (...args) => (await folds.readSegments(...args)).map(rendered),
      readSegment: async (...args) => {
        const found = await folds.readSegment(...args)
        return found && { ...found, segment: rendered(found.segment), lower: found.lower.map(rendered) }
      },
    },
    context: {
      ...context,
      readContext: async (...args) => {
        const read = await context.readContext(...args)
        return read?.base ? { ...read, base: { segments: read.base.segments.map(renderedText) } } : read
      },
    },
    rebuilds: {
      ...rebuilds,
      listWithheld: async (...args) =>
        (await rebuilds.listWithheld(...args)).map(withheld => ({
          ...withheld,
          lower: withheld.lower.map(rendered),
        })),
      readOutdated: async (...args) => {
        const work = await rebuilds.readOutdated(...args)
        return work?.segment
          ? { ...work, segment: { ...work.segment, lower: work.segment.lower.map(rendered) } }
          : work
      },
    },
    transfer: {
      ...transfer,
      exportSession: async (...args) => renderedFile(await transfer.exportSession(...args)),
    },
  })
}

export function renderedFile(file: SessionFile): SessionFile {
  return { ...file, segments: file.segments.map(rendered) }
}

/** If an erasure removed the words of a segment, it has no summary either. */
function rendered<Some extends Rendered>(segment: Some): Some {
  if (segment.text !== '' || segment.summary === '') return segment
  const text = renderSegment(segment)
  return { ...segment, text, tokensAfter: estimateTokens(text) }
}

/** The form that a context needs, without the parts that it is made of. */
function renderedText({ untold, ...segment }: ContextSegment): ContextSegment {
  if (untold === undefined) return segment
  const { fromSeq, toSeq, level, text, tokensAfter } = rendered({ ...segment, ...untold })
  return { fromSeq, toSeq, level, text, tokensAfter }
}

type ContextSegment = NonNullable<
  NonNullable<Awaited<ReturnType<ContextStore['readContext']>>>['base']
>['segments'][number]
