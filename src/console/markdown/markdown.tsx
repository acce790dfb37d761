import { createContext, isValidElement, memo, useContext } from 'react'
import type { ReactNode } from 'react'
import ReactMarkdown from 'react-markdown'
import type { Components } from 'react-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { gfm } from 'micromark-extension-gfm'
import { CodeBlock } from './code-block.tsx'

/** Plugins for GitHub's tables, task lists and the like: what `remark-gfm` adds to the parser, without its serializer. */
const GITHUB_MARKDOWN = [extendParser]

/** What takes the parser seconds stays plain text: long lines, and quotes and lists in forty others. */
const COSTLY = /.{4000}|^[ \t]*(?:>[ \t]*|(?:[-+*]|\d{1,9}[.)])[ \t]+){40}/m

/** Markdown as GitHub shows it, as elements: never as HTML, and without loading anything. */
export const Markdown = memo(function Markdown({ text }: { readonly text: string }) {
  return <div className="flex min-w-0 flex-col gap-2 break-words">{elementsOf(text)}</div>
})

function elementsOf(text: string): ReactNode {
  const plain = <p className="whitespace-pre-wrap">{text}</p>
  if (COSTLY.test(text)) return plain
  try {
    return ReactMarkdown({
      children: text,
      remarkPlugins: GITHUB_MARKDOWN,
      components: COMPONENTS,
      urlTransform: safeUrl,
    })
  } catch {
    // nested too deeply
    return plain
  }
}

/** Not heading elements: they would break the heading order of the page. */
const heading = (size: string) =>
  function Heading({ children }: { readonly children?: ReactNode }) {
    return <p className={`pt-1 font-semibold ${size}`}>{children}</p>
  }

const CELL = 'border border-line px-2 py-1'
const LIST = 'flex flex-col gap-1 pl-5 [&_p]:inline'

const COMPONENTS: Components = {
  h1: heading('text-lg'),
  h2: heading('text-lg'),
  h3: heading('text-base'),
  h4: heading('text-base'),
  h5: heading('text-base'),
  h6: heading('text-base text-dim'),
  a: ({ href, children, ...props }) =>
    // links within the text, of footnotes, are left out: other answers have the same ids
    'data-footnote-backref' in props ? null : <SafeLink href={href}>{children}</SafeLink>,
  // remote images are not loaded
  img: ({ src, alt }) => (
    <SafeLink href={typeof src === 'string' ? src : ''}>
      {alt === undefined || alt === '' ? 'Image' : alt}
    </SafeLink>
  ),
  pre: ({ children }) => {
    const props = isValidElement<{ className?: string; children?: ReactNode }>(children) ? children.props : {}
    const language = /language-(\S+)/.exec(props.className ?? '')?.[1] ?? ''
    return <CodeBlock text={textOf(props.children).replace(/\n$/, '')} language={language} />
  },
  code: ({ children }) => <code className="rounded-sm bg-hover px-1 font-mono text-sm">{children}</code>,
  ul: ({ children, className = '' }) => (
    <ul className={`${LIST} ${className.includes('task') ? 'list-none pl-1' : 'list-disc'}`}>{children}</ul>
  ),
  ol: ({ children, start }) => (
    <ol className={`${LIST} list-decimal`} start={start}>
      {children}
    </ol>
  ),
  input: ({ checked }) => (
    <input type="checkbox" disabled checked={checked === true} aria-label={checked ? 'Done' : 'Not done'} />
  ),
  blockquote: ({ children }) => (
    <blockquote className="flex flex-col gap-2 border-l-2 border-line-strong pl-3 text-dim">
      {children}
    </blockquote>
  ),
  hr: () => <hr className="border-line" />,
  table: ({ children }) => (
    <div className="overflow-x-auto" tabIndex={0} role="group" aria-label="Table">
      <table className="border-collapse">{children}</table>
    </div>
  ),
  th: ({ children, style }) => (
    <th scope="col" className={`${CELL} bg-panel text-left`} style={style}>
      {children}
    </th>
  ),
  td: ({ children, style }) => (
    <td className={CELL} style={style}>
      {children}
    </td>
  ),
}

const InLink = createContext(false)

/** A link that opens in a new tab; its text where the address is not safe, or the link is part of another one. */
function SafeLink({
  href = '',
  children,
}: {
  readonly href?: string | undefined
  readonly children: ReactNode
}) {
  const isInLink = useContext(InLink)
  if (href === '' || isInLink) return children
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow" className="text-accent underline">
      <InLink value={true}>{children}</InLink>
    </a>
  )
}

function textOf(children: ReactNode): string {
  if (typeof children === 'string') return children
  return Array.isArray(children) ? (children as readonly ReactNode[]).map(textOf).join('') : ''
}

function extendParser(this: { data(): object }) {
  Object.assign(this.data(), { micromarkExtensions: [gfm()], fromMarkdownExtensions: [gfmFromMarkdown()] })
}

/** The address of a link if it is `http`, `https` or `mailto`; others are not links. */
function safeUrl(url: string): string {
  return /^(?:https?:\/\/|mailto:)/i.test(url) ? url : ''
}
