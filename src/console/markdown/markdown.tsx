import { memo } from 'react'
import type { ReactNode } from 'react'
import { CodeFrame } from '../ui/code-frame.tsx'
import { CopyButton } from '../ui/controls/copy-button.tsx'
import { parseBlocks } from './parse-blocks.ts'
import type { Block } from './parse-blocks.ts'
import { inline } from './inline.tsx'

/** Markdown as elements: never as HTML, and without loading anything. */
export const Markdown = memo(function Markdown({ text }: { readonly text: string }) {
  return <div className="flex min-w-0 flex-col gap-2 break-words">{parseBlocks(text).map(element)}</div>
})

function element(block: Block, key: number): ReactNode {
  switch (block.kind) {
    case 'paragraph':
      return (
        <p key={key} className="whitespace-pre-wrap">
          {inline(block.text)}
        </p>
      )
    case 'heading':
      // not a heading element: it would break the heading order of the page
      return (
        <p key={key} className="pt-1 font-semibold">
          {inline(block.text)}
        </p>
      )
    case 'code':
      return (
        <div key={key} className="relative rounded-md border border-line bg-panel p-2 pr-9">
          <CodeFrame text={block.text} />
          <div className="absolute right-1 top-1">
            <CopyButton text={block.text} label="Copy code" />
          </div>
        </div>
      )
    case 'list': {
      const List = block.ordered ? 'ol' : 'ul'
      return (
        <List key={key} className={`pl-5 ${block.ordered ? 'list-decimal' : 'list-disc'}`}>
          {block.items.map((item, index) => (
            <li key={`${index} ${item}`} className="whitespace-pre-wrap">
              {inline(item)}
            </li>
          ))}
        </List>
      )
    }
    case 'quote':
      return (
        <blockquote key={key} className="whitespace-pre-wrap border-l-2 border-line-strong pl-3 text-dim">
          {inline(block.text)}
        </blockquote>
      )
    case 'table':
      return <MarkdownTable key={key} rows={block.rows} />
    case 'rule':
      return <hr key={key} className="border-line" />
  }
}

function MarkdownTable({ rows: [head = [], ...body] }: { readonly rows: readonly (readonly string[])[] }) {
  const cell = 'border border-line px-2 py-1 text-left'
  return (
    <div className="overflow-x-auto" tabIndex={0} role="group" aria-label="Table">
      <table className="border-collapse">
        <thead>
          <tr>
            {head.map((text, index) => (
              <th key={`${index} ${text}`} scope="col" className={cell}>
                {inline(text)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {body.map((row, index) => (
            <tr key={`${index} ${row.join()}`}>
              {row.map((text, at) => (
                <td key={`${at} ${text}`} className={cell}>
                  {inline(text)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
