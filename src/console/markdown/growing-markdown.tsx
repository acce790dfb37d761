import { memo } from 'react'
import { Markdown } from './markdown.tsx'
import { splitMarkdown } from './split-markdown.ts'

/** A model's text that may be long and may still be coming: what stands is not drawn again. */
export const GrowingMarkdown = memo(function GrowingMarkdown({ text }: { readonly text: string }) {
  return (
    <div className="flex min-w-0 flex-col gap-2">
      {splitMarkdown(text).map((piece, index) => (
        <Markdown key={index} text={piece} />
      ))}
    </div>
  )
})
