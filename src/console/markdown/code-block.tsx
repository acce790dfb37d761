import { memo } from 'react'
import { CopyButton } from '../ui/controls/copy-button.tsx'
import { useHighlighted } from './use-highlighted.ts'

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
