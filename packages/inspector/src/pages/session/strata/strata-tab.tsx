import { useMemo, useRef } from 'preact/hooks'
import { readGrowth, readSegments } from '../../../api/index.ts'
import type { GrowthPoint, Segment, SessionFigures } from '../../../api/types.ts'
import { defineTexts } from '../../../language/language.ts'
import { useSessionEvents } from '../../../state/use-events.ts'
import { useLoaded } from '../../../state/use-loaded.ts'
import { WhenLoaded } from '../../../ui/loading.tsx'
import { Empty } from '../../../ui/notice.tsx'
import { type Block, VirtualList } from '../../../ui/virtual-list.tsx'
import { Core } from './core.tsx'
import { BeginningLine, Cursor } from './cursor.tsx'
import { heightOfSegment } from './heights.ts'
import { rawChunks } from './raw-chunks.ts'
import { RawMessages } from './raw-messages.tsx'
import { SegmentStratum } from './segment-stratum.tsx'
import { holdsSought, type Visit } from './visit.ts'
import './strata.css'

const useTexts = defineTexts({
  en: {
    empty: 'Nothing has been said here yet.',
    about:
      'The newest on top. Above the line, messages as they were said; below it, what the model reads in their place. Each is as high as its tokens; open one to read what lies under it.',
  },
  zh: {
    empty: '这里还没有消息。',
    about:
      '最新的在最上面。线以上是原文；线以下是模型读到的摘要。高度与词元数成正比；点开即可查看其下的内容。',
  },
})

/** The number of points of the log's growth: enough for nearly correct heights. */
const POINTS = 500

/** The conversation in layers: raw messages above, segments below, level under level. */
export function StrataTab({
  session,
  seq,
}: {
  readonly session: SessionFigures
  /** The message that the address asks for. */
  readonly seq: string | undefined
}) {
  const texts = useTexts()
  const { id } = session
  const loaded = useLoaded(
    async signal => {
      const [{ segments }, { points }] = await Promise.all([
        readSegments(id, { signal }),
        readGrowth(id, { points: POINTS }, { signal }),
      ])
      return { segments, points }
    },
    [id],
  )
  useSessionEvents(id, loaded.reload)
  const opened = useRef(new Map<string, boolean>())
  const visit = useMemo(
    (): Visit => ({ soughtSeq: Number(seq) || null, isReached: false, opened: opened.current }),
    [seq],
  )
  return (
    <WhenLoaded loaded={loaded}>
      {({ segments, points }) =>
        points.length === 0 && segments.length === 0 ? (
          <Empty>{texts.empty}</Empty>
        ) : (
          <>
            <p class="hint strata-about">{texts.about}</p>
            <Strata session={session} segments={segments} points={points} visit={visit} />
          </>
        )
      }
    </WhenLoaded>
  )
}

interface Stratum extends Block {
  readonly isSought: boolean
}

function Strata({
  session,
  segments,
  points,
  visit,
}: {
  readonly session: SessionFigures
  readonly segments: readonly Segment[]
  readonly points: readonly GrowthPoint[]
  readonly visit: Visit
}) {
  const { id, epoch, beginsAfter } = session
  const cursor = segments.at(-1)?.toSeq ?? session.compactedThrough
  const blocks = useMemo(() => {
    const newestSeq = points.at(-1)?.seq ?? 0
    const raw = rawChunks(cursor, points).map(
      (chunk): Stratum => ({
        key: `raw-${chunk.fromSeq}`,
        estimate: chunk.estimate,
        isSought: holdsSought(visit, chunk),
        render: () => (
          <RawMessages
            sessionId={id}
            chunk={chunk}
            // Older messages change only with the epoch. The newest chunk changes with every message.
            revision={chunk.toSeq === newestSeq ? `${epoch} ${newestSeq}` : String(epoch)}
            visit={visit}
          />
        ),
      }),
    )
    const folded = segments.toReversed().map(
      (segment): Stratum => ({
        key: `segment-${segment.id}`,
        estimate: heightOfSegment(segment),
        isSought: holdsSought(visit, segment),
        render: () => <SegmentStratum sessionId={id} segment={segment} epoch={epoch} visit={visit} />,
      }),
    )
    const line: Stratum = {
      key: 'cursor',
      estimate: 40,
      isSought: false,
      render: () => <Cursor through={cursor} />,
    }
    const strata = folded.length === 0 ? raw : [...raw, line, ...folded]
    if (beginsAfter === null) return strata
    const beginning: Stratum = {
      key: 'beginning',
      estimate: 40,
      isSought: false,
      render: () => <BeginningLine after={beginsAfter} />,
    }
    // Messages before the line may not be folded yet. Then the line still stands above the folded segments.
    const isBehind = segments.filter(({ toSeq }) => toSeq <= beginsAfter).length
    return strata.toSpliced(strata.length - isBehind, 0, beginning)
  }, [id, epoch, beginsAfter, cursor, segments, points, visit])
  // Once the reader has reached the message, a fold that moves it does not take the reader along.
  const wanted = visit.isReached ? null : (blocks.find(({ isSought }) => isSought)?.key ?? null)
  return (
    <div class="strata">
      <Core session={session} segments={segments} />
      <VirtualList blocks={blocks} wanted={wanted} />
    </div>
  )
}
