import type { Span } from '../../../../contract/endpoints/trace.ts'
import { SPAN_SORTS, sortOf } from './span-kind.ts'
import type { SpanSort } from './span-kind.ts'
import type { PlacedSpan } from './span-tree.ts'

export interface SpanFilter {
  /** Words that a span has, each of them, in any case. */
  readonly q: string
  readonly sort: string
  readonly onlyErrors: boolean
}

export interface FoundSpans {
  /** Those that fit, and those that they are below. */
  readonly shown: readonly PlacedSpan[]
  readonly fitting: ReadonlySet<string>
}

/** Characters of one attribute that are searched. */
const SEARCHED = 4000

/** What is searched of a span, made when it is searched for the first time. */
export type SearchTexts = WeakMap<Span, string>

/** Filters a tree: what fits, with all that it is below, so that it is seen where it stands. */
export function findSpans(
  placed: readonly PlacedSpan[],
  { q, sort, onlyErrors }: SpanFilter,
  texts: SearchTexts,
): FoundSpans | undefined {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean)
  const wanted = sort in SPAN_SORTS ? (sort as SpanSort) : undefined
  if (words.length === 0 && wanted === undefined && !onlyErrors) return undefined
  const fits = (span: Span) => {
    if (onlyErrors && span.status !== 'error') return false
    if (wanted !== undefined && sortOf(span) !== wanted) return false
    if (words.length === 0) return true
    const text = textIn(span, texts)
    // parts of an id are in many ids
    return words.every((word) => text.includes(word) || word === span.spanId)
  }
  const fitting = new Set<string>()
  const shown: PlacedSpan[] = []
  // from the end, where what is above a span comes behind it
  let above = -1
  for (const one of placed.toReversed()) {
    const isFound = fits(one.span)
    if (isFound) fitting.add(one.span.spanId)
    else if (one.depth !== above) continue
    above = one.depth - 1
    shown.push(one)
  }
  return { shown: shown.toReversed(), fitting }
}

function textIn(span: Span, texts: SearchTexts): string {
  const known = texts.get(span)
  if (known !== undefined) return known
  const { name, statusMessage = '', attributes } = span
  const parts = [name, statusMessage]
  for (const [key, value] of Object.entries(attributes))
    parts.push(key, (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, SEARCHED))
  const text = parts.join('\n').toLowerCase()
  texts.set(span, text)
  return text
}
