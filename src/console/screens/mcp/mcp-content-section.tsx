import type { ReactNode } from 'react'
import { Pending } from '../../ui/state/states.tsx'

interface McpContentSectionProps<T> {
  readonly title: 'Resources' | 'Prompts'
  /** Undefined until the list is loaded; the list of a server that is not connected is not requested. */
  readonly entries: readonly T[] | undefined
  readonly error: unknown
  readonly refetch: () => unknown
  readonly children: (entry: T, index: number) => ReactNode
}

const SHOWN = 200

/** A list of what an MCP server offers. Without entries it takes no space. */
export function McpContentSection<T>({
  title,
  entries,
  error,
  refetch,
  children,
}: McpContentSectionProps<T>) {
  if (!entries && !error) return null
  if (entries?.length === 0) return null
  return (
    <section aria-label={title}>
      <h2 className="pb-1 font-semibold">
        {title} <span className="font-normal text-dim">{entries?.length}</span>
      </h2>
      {entries ? (
        <>
          <ul className="border-t border-line">
            {entries.slice(0, SHOWN).map((entry, index) => children(entry, index))}
          </ul>
          {entries.length > SHOWN && <p className="pt-1 text-dim">{`The first ${SHOWN} are shown`}</p>}
        </>
      ) : (
        <Pending error={error} retry={refetch} />
      )}
    </section>
  )
}
