import { useEffect, useState } from 'react'
import type { ReactNode } from 'react'
import { useThrottled } from '../live/use-throttled.ts'
import { LazyChunk } from '../router/lazy-chunk.ts'
import { useLazyCode } from '../router/use-lazy-code.ts'

/** Longer code is not highlighted. */
const MAX_LENGTH = 20_000
/** While the code grows. */
const EVERY_MS = 250

const HIGHLIGHTER = new LazyChunk(() => import('./highlight.tsx'))

export interface HighlightedCode {
  /** The highlighted start of the code. */
  readonly highlighted: ReactNode
  /** The rest of it. */
  readonly rest: string
}

/** Highlights code that may be growing: its new end stays plain for an instant. */
export function useHighlighted(text: string, language: string): HighlightedCode {
  const { code } = useLazyCode(language !== '' ? HIGHLIGHTER : undefined)
  const [done, setDone] = useState({ source: '', nodes: undefined as ReactNode, language })
  const highlight = useThrottled(() => {
    if (!code || text.length > MAX_LENGTH) return
    setDone({ source: text, nodes: code.highlight(text, language), language })
  }, EVERY_MS)
  useEffect(() => highlight(), [highlight, code, text, language])
  // still right for the start of a text that has grown
  const isValid = done.language === language && text.startsWith(done.source)
  return isValid
    ? { highlighted: done.nodes, rest: text.slice(done.source.length) }
    : { highlighted: undefined, rest: text }
}
