import { memo } from 'react'
import { Markdown } from './markdown.tsx'
import { splitMarkdown } from './split-markdown.ts'

/** Markdown that may be long and still streaming: finished parts are not rendered again. */
export const GrowingMarkdown = memo(function GrowingMarkdown({ text }: { readonly text: string }) {
  return (
    <div className="flex min-w-0 flex-col gap-2">
      {splitMarkdown(text).map((part, index) => (
        <Markdown key={index} text={part} />
      ))}
    </div>
  )
})
