import type { LucideIcon } from 'lucide-react'
import { useRef } from 'react'
import type { ReactNode } from 'react'
import { RunStrip } from '../charts/strip.tsx'
import { Link } from '../router/link.tsx'
import { StatusBadge } from './state/status-badge.tsx'
import { durationText } from './time/format-time.ts'
import { Time } from './time/time.tsx'
import { useKeys } from '../keys/use-keys.ts'

/** A run that a card lists. */
interface CardRun {
  readonly id: string
  /** Route of its page. */
  readonly to: string
  readonly status: string
  /** ISO 8601. */
  readonly startedAt: string
  /** Null while it runs. */
  readonly durationMs: number | null
}

interface CardProps {
  readonly to: string
  readonly name: string
  readonly icon: LucideIcon
  /** Shown at the end of the first line. */
  readonly status?: ReactNode
  readonly description: string
  /** Short details. */
  readonly details: ReactNode
  /** Newest first; undefined while they are loaded. */
  readonly runs: readonly CardRun[] | undefined
  /** Shown without runs. */
  readonly noRuns: string
}

const MAX_LISTED = 3

/** An agent, a workflow or a tool: what it is, a sparkline of its last runs, and the newest of them. */
export function Card({ to, name, icon: Symbol, status, description, details, runs, noRuns }: CardProps) {
  return (
    <div
      data-card=""
      className="relative flex h-full flex-col gap-2 rounded-md border border-line bg-raised p-3 focus-within:border-line-strong hover:border-line-strong hover:bg-hover"
    >
      {/* the link covers the card */}
      <Link
        to={to}
        title={name}
        className="flex min-w-0 items-center gap-2 pr-24 font-semibold after:absolute after:inset-0 after:rounded-md"
      >
        <Symbol aria-hidden="true" className="size-4 shrink-0 text-accent" />
        <bdi className="truncate">{name}</bdi>
      </Link>
      {status !== undefined && <span className="absolute right-3 top-3">{status}</span>}
      <p className="line-clamp-2 min-h-10 text-dim [overflow-wrap:anywhere]">
        <bdi>{description}</bdi>
      </p>
      <div className="flex min-h-4 flex-wrap gap-x-3 text-sm text-dim [overflow-wrap:anywhere]">
        {details}
      </div>
      <div className="mt-auto min-h-[6.5rem]">
        {runs && runs.length > 0 && <Runs runs={runs} />}
        {runs?.length === 0 && <p className="pt-1 text-sm text-dim">{noRuns}</p>}
      </div>
    </div>
  )
}

function Runs({ runs }: { readonly runs: readonly CardRun[] }) {
  return (
    <>
      <RunStrip runs={runs.toReversed()} />
      <ul aria-label="Last runs" className="pt-1 text-sm">
        {runs.slice(0, MAX_LISTED).map(({ id, to, status, startedAt, durationMs }) => (
          <li key={id} className="relative z-1 flex h-6 items-center justify-between gap-3">
            <Link to={to} className="hover:underline">
              <StatusBadge status={status} />
            </Link>
            <span className="truncate text-dim">
              {durationMs !== null && `${durationText(durationMs)} · `}
              <Time at={startedAt} />
            </span>
          </li>
        ))}
      </ul>
    </>
  )
}

/** A list of fewer items is shown as cards. */
export const CARDS_BELOW = 12

interface CardGridProps<T> {
  readonly label: string
  readonly items: readonly T[]
  readonly itemKey: (item: T) => string
  readonly card: (item: T) => ReactNode
}

/** Items as cards, of which each begins with its link. `j` and `k` move from card to card. */
export function CardGrid<T>({ label, items, itemKey, card }: CardGridProps<T>) {
  const ref = useRef<HTMLUListElement>(null)
  const move = (by: number) => {
    const links = [...(ref.current?.querySelectorAll<HTMLElement>('[data-card] > a') ?? [])]
    const at = links.findIndex((link) => link.parentElement?.contains(document.activeElement))
    links[at === -1 ? 0 : Math.max(0, Math.min(links.length - 1, at + by))]?.focus()
  }
  const group = 'Lists'
  useKeys([
    { keys: 'j', label: 'Next card', group, run: () => move(1) },
    { keys: 'k', label: 'Previous card', group, run: () => move(-1) },
  ])
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <ul
        ref={ref}
        aria-label={label}
        className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,20rem),1fr))] gap-3 p-4"
      >
        {items.map((item) => (
          <li key={itemKey(item)} className="min-w-0">
            {card(item)}
          </li>
        ))}
      </ul>
    </div>
  )
}
