import { memo, useDeferredValue, useRef, useState, useEffect } from 'react'
import type { RefObject } from 'react'
import { LazyChunk, useLazyCode } from '../router/lazy-chunk.ts'
import { Button } from '../ui/controls/button.tsx'
import { saveFile } from '../ui/controls/save-file.ts'
import { countText } from '../ui/time/format-time.ts'
import { CodeBlock } from './code-block.tsx'
import { splitMarkdown } from './split-markdown.ts'
import type { MarkdownPart } from './split-markdown.ts'

const MARKDOWN = new LazyChunk(() => import('./markdown.tsx'))
/** Parts that are rendered without waiting for them to come near the view. */
const FIRST = 5
/** Characters that are shown at first, and that each click shows more of. */
const STEP = 300_000

/**
 * Markdown that may be long and still streaming: finished parts are not rendered again, and those out of view are
 * plain text, so that a long text does not block the page. Of a very long text the beginning is shown, and the whole can
 * be downloaded.
 */
export const GrowingMarkdown = memo(function GrowingMarkdown({ text }: { readonly text: string }) {
  const [limit, setLimit] = useState(STEP)
  const rest = text.length - limit
  const shown = useDeferredValue(rest > 0 ? text.slice(0, limit) : text)
  return (
    <div className="flex min-w-0 flex-col gap-2">
      {splitMarkdown(shown).map((part, index) => (
        <Part
          key={index}
          kind={part.kind}
          text={part.text}
          language={part.language}
          isFirst={index < FIRST}
        />
      ))}
      {rest > 0 && (
        <div className="flex flex-wrap gap-2">
          <Button size="small" onClick={() => setLimit(limit + STEP)}>
            Show more of {countText(rest)} characters
          </Button>
          <Button size="small" onClick={() => saveFile('text.md', text, 'text/markdown')}>
            Download all
          </Button>
        </div>
      )}
    </div>
  )
})

const Part = memo(function Part({
  kind,
  text,
  language,
  isFirst,
}: MarkdownPart & { readonly isFirst: boolean }) {
  const ref = useRef<HTMLDivElement>(null)
  const isNear = useIsNear(ref, isFirst)
  const { code } = useLazyCode(isNear && kind === 'text' ? MARKDOWN : undefined)
  if (isNear && kind === 'code') return <CodeBlock text={text} language={language} />
  if (code) return <code.Markdown text={text} />
  return (
    <div ref={ref} className="whitespace-pre-wrap break-words">
      {text}
    </div>
  )
})

/** Distance from the view that counts as near. */
const MARGIN = '800px'

/** Whether an element has come near the view; it stays so. */
function useIsNear(ref: RefObject<Element | null>, initial: boolean): boolean {
  const [isNear, setNear] = useState(initial)
  useEffect(() => {
    if (isNear || !ref.current) return undefined
    const observer = new IntersectionObserver(
      (entries) => setNear(entries.some((entry) => entry.isIntersecting)),
      // the margin of the page does not apply within an element that scrolls
      { rootMargin: MARGIN, scrollMargin: MARGIN },
    )
    observer.observe(ref.current)
    return () => observer.disconnect()
  }, [ref, isNear])
  return isNear
}
