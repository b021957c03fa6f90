import { inert, type Layer, type SeqRange } from '../../context/index.ts'
import { type Language, textsOf } from '../../language/index.ts'
import { type FoldedLine, LAYERS, type LayerName, type LayerText } from '../../store/index.ts'
import { estimateTokens } from '../../tokens/index.ts'
import { clipDocument, MIN_CLIPPED_TOKENS, withoutLines } from '../document/index.ts'
import { maySee, type SessionIdentity } from '../visibility.ts'
import { BLOCKS } from './blocks.ts'
import { renderGuidance } from './guidance.ts'

export type LayerBudgets = Readonly<Record<LayerName, number>>

export interface LayerView {
  readonly session: SessionIdentity
  readonly language: Language
  /**
   * The messages that the context itself shows or summarises. Lines that folds made from them would repeat
   * it.
   */
  readonly told: readonly SeqRange[]
  readonly budgets: LayerBudgets
  /** The tokens for all layers together. */
  readonly allowance: number
  /** The memory tools that the model has, by name. */
  readonly tools: readonly string[]
}

/** The tokens of a block beside its text. */
const FRAME_TOKENS = 40

/**
 * Renders the memory documents as blocks of the instructions, in the order of the layers, with the guidance
 * among them. If there is too little room, the last layers are left out first. The persona is left out last.
 */
export function renderLayers(texts: readonly LayerText[], view: LayerView): readonly Layer[] {
  const documents = LAYERS.map(layer => ({ layer, ...contentOf(layer, texts, view) }))
  const shown = documents.filter(({ content }) => content !== '')
  const sizes = shown.map(({ layer, content }) => ({
    layer,
    tokens: Math.min(view.budgets[layer], estimateTokens(content)),
  }))
  const guidance = guidanceWithin(view, sizes)
  const shares = sharesWithin(sizes, view.allowance - estimateTokens(guidance ?? ''))
  const blocks = shown.map(({ layer, content, folded }, place) =>
    block(
      layer,
      shownWithin(content, { tokens: shares[place]!, folded, language: view.language }),
      view.language,
    ),
  )
  const place = blocks.findLastIndex(({ name }) => name === 'persona' || name === 'global_memory') + 1
  return guidance === null ? blocks : blocks.toSpliced(place, 0, { name: 'guidance', text: guidance })
}

interface Sized {
  readonly layer: LayerName
  readonly tokens: number
}

/**
 * The tokens of each layer. 0: it is not shown. The last layers are left out, until each of the others has
 * room to say something.
 */
function sharesWithin(sizes: readonly Sized[], allowance: number): readonly number[] {
  for (let count = sizes.length; count > 0; count--) {
    const shares = sharesOfAll(sizes.slice(0, count), allowance - FRAME_TOKENS * count)
    if (shares !== null) return sizes.map((_, place) => shares[place] ?? 0)
  }
  return sizes.map(() => 0)
}

/**
 * The persona gets all the room that it needs, and the others share the rest. `null`: one of them would have
 * too little room.
 */
function sharesOfAll(sizes: readonly Sized[], room: number): readonly number[] | null {
  const [first, ...others] = sizes
  if (sizes.length === 1) return room > 0 ? [Math.min(first!.tokens, room)] : null
  const persona = first?.layer === 'persona' ? first.tokens : 0
  const sharing = persona > 0 ? others : sizes
  const level = levelWithin(
    sharing.map(({ tokens }) => tokens),
    room - persona,
  )
  if (room < persona || level < MIN_CLIPPED_TOKENS) return null
  return sizes.map(({ layer, tokens }) => (layer === 'persona' ? tokens : Math.min(tokens, level)))
}

/**
 * The most tokens of each layer, so that all fit. Small layers stay whole. Only layers above their share are
 * cut.
 */
function levelWithin(sizes: readonly number[], room: number): number {
  let left = Math.max(0, room)
  let others = sizes.length
  for (const size of sizes.toSorted((one, other) => one - other)) {
    if (size > left / others) return Math.floor(left / others)
    left -= size
    others -= 1
  }
  return Number.POSITIVE_INFINITY
}

/** Without the guidance, the tools still describe themselves. So the persona comes before it. */
function guidanceWithin({ tools, language, allowance }: LayerView, [first]: readonly Sized[]): string | null {
  const guidance = renderGuidance(tools, language)
  if (guidance === null) return null
  const tokens = estimateTokens(guidance)
  const persona = first?.layer === 'persona' ? first.tokens + FRAME_TOKENS : 0
  return tokens <= allowance / 2 && tokens + persona <= allowance ? guidance : null
}

/**
 * The visible text of a layer. For the daily log this is both days. Lines about messages that the context
 * itself tells are left out.
 */
function contentOf(
  layer: LayerName,
  texts: readonly LayerText[],
  { session, told }: LayerView,
): { content: string; folded: ReadonlySet<string> } {
  const visible = texts.filter(text => text.layer === layer && maySee(session, text))
  return {
    content: visible
      .map(({ content, folded }) => withoutLines(content, toldLines(folded, told)).trim())
      .filter(hasSubstance)
      .join('\n\n'),
    folded: new Set(visible.flatMap(({ folded }) => folded.map(({ line }) => line))),
  }
}

/**
 * A line may come from several folds. It is left out only if the context tells the messages of each of them.
 */
export function toldLines(folded: readonly FoldedLine[], told: readonly SeqRange[]): ReadonlySet<string> {
  const isTold = (line: FoldedLine) =>
    told.some(({ fromSeq, toSeq }) => fromSeq <= line.fromSeq && line.toSeq <= toSeq)
  const lines = new Set(folded.filter(isTold).map(({ line }) => line))
  for (const fold of folded) if (!isTold(fold)) lines.delete(fold.line)
  return lines
}

/**
 * Lines by people and by the model's tools are meant to last. Lines of folds are left out before them, the
 * oldest first.
 */
function shownWithin(
  content: string,
  { tokens, folded, language }: { tokens: number; folded: ReadonlySet<string>; language: Language },
): { text: string; isClipped: boolean } {
  // Even a very small text is shown whole if it fits.
  if (estimateTokens(content) <= tokens) return { text: content, isClipped: false }
  return clipDocument(content, tokens, { yielding: folded, language })
}

/** A document with only headings, as from a template, says nothing. */
function hasSubstance(content: string): boolean {
  return content.split('\n').some(line => line.trim() !== '' && !/^ {0,3}#{1,6}(?:\s|$)/.test(line))
}

function block(
  layer: LayerName,
  { text, isClipped }: { text: string; isClipped: boolean },
  language: Language,
): Layer {
  const name = BLOCKS[layer]
  const opening = layer === 'persona' ? null : textsOf(language).layers[layer]
  const lines = [`<${name}>`, ...(opening === null ? [] : [opening, '']), inert(text), `</${name}>`]
  if (text === '') return { name, text, isClipped }
  return { name, text: lines.join('\n'), isClipped }
}
