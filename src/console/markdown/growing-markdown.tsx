import { memo } from 'react'
import { Markdown } from './markdown.tsx'
import { piecesOf } from './pieces.ts'

/** A model's text that may be long and may still be coming: what stands is not drawn again. */
export const GrowingMarkdown = memo(function GrowingMarkdown({ text }: { readonly text: string }) {
  return (
    <div className="flex min-w-0 flex-col gap-2">
      {piecesOf(text).map((piece, index) => (
        <Markdown key={index} text={piece} />
      ))}
    </div>
  )
})
