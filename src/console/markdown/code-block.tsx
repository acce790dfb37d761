import { memo, useEffect, useState } from 'react'
import type { ReactNode } from 'react'
import { useThrottled } from '../live/use-throttled.ts'
import { LazyChunk, useLazyCode } from '../router/lazy-chunk.ts'
import { CopyButton } from '../ui/controls/button.tsx'

/** Source code with its language and a copy button. */
export const CodeBlock = memo(function CodeBlock({ text, language }: { text: string; language: string }) {
  const { highlighted, rest } = useHighlighted(text, language)
  const name = language.slice(0, 30)
  return (
    <div className="relative min-w-0 rounded-md border border-line bg-panel p-2 pr-9">
      <pre
        tabIndex={0}
        role="group"
        aria-label={name === '' ? 'Code' : `Code, ${name}`}
        className="max-h-[32rem] overflow-auto whitespace-pre font-mono text-sm"
      >
        <code>
          {highlighted}
          {rest}
        </code>
      </pre>
      <div className="absolute right-1 top-1">
        <CopyButton text={text} label="Copy code" />
      </div>
    </div>
  )
})

/** Longer code is not highlighted. */
const MAX_LENGTH = 20_000

/** While the code grows. */
const EVERY_MS = 250

const HIGHLIGHTER = new LazyChunk(() => import('./highlight.tsx'))

interface HighlightedCode {
  /** The highlighted start of the code. */
  readonly highlighted: ReactNode
  /** The rest of it. */
  readonly rest: string
}

/** Highlights code that may be growing: its new end stays plain for an instant. */
function useHighlighted(text: string, language: string): HighlightedCode {
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
