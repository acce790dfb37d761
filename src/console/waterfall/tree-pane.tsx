import { useMemo, useState } from 'react'
import type { ReactNode } from 'react'
import { FilterText } from '../filters/filter-bar.tsx'
import { Button, IconButton } from '../ui/controls/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { EmptyState } from '../ui/state/states.tsx'
import { countText } from '../ui/time/format-time.ts'
import type { Scrubber } from './axis.tsx'
import { findItems } from './find-items.ts'
import { FULL_VIEW, panView, zoomView } from './ticks.ts'
import { timeScale } from './time-scale.ts'
import type { Interval, TimeScale } from './time-scale.ts'
import { ITEM_KINDS } from './tree-item.ts'
import type { ItemKind, TreeItem } from './tree-item.ts'
import { Waterfall } from './waterfall.tsx'

/** What a tree shows. For `useUrlState`. */
export const TREE_LOOK = { search: '', kind: '', status: '', idle: 'collapsed' }

export type TreeLook = Readonly<typeof TREE_LOOK>

export interface TreePaneProps {
  /** Accessible name of the tree: `Steps over time`. */
  readonly label: string
  /** What the rows are, in the plural. */
  readonly noun: string
  readonly items: readonly TreeItem[]
  readonly range: Interval
  /** Key of the selected row. */
  readonly chosen: string
  readonly choose: (key: string) => void
  readonly look: TreeLook
  readonly setLook: (changes: Partial<TreeLook>) => void
  readonly scrubber?: Scrubber | undefined
  /** Shown before the search. */
  readonly lead?: ReactNode
}

const NONE: ReadonlySet<string> = new Set()

/** The tree of a run over time, with its search and its filters. */
export function TreePane(props: TreePaneProps) {
  const { label, noun, items, range, chosen, choose, look, setLook, scrubber, lead } = props
  const [view, setView] = useState(FULL_VIEW)
  const [collapsed, setCollapsed] = useState(NONE)
  const { rows, matching } = useFound(items, look)
  const scale = useScale(items, range, look.idle === 'collapsed')
  const collapseAll = () =>
    setCollapsed(new Set(rows.filter(({ isExpandable }) => isExpandable).map(({ key }) => key)))
  return (
    <>
      <search
        aria-label={`Filters of ${noun}`}
        className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line bg-panel px-4 py-1"
      >
        {lead}
        <FilterText
          label={`Search ${noun}`}
          first
          value={look.search}
          onChange={(search) => setLook({ search })}
        />
        <Check
          label="Only errors"
          checked={look.status === 'error'}
          set={(on) => setLook({ status: on ? 'error' : '' })}
        />
        <span role="status" className="text-sm text-dim">
          {matching !== undefined && `${countText(matching)} of ${countText(items.length)}`}
        </span>
      </search>
      {rows.length === 0 ? (
        <EmptyState title={`No ${noun} match these filters`} />
      ) : (
        <Waterfall
          label={label}
          rows={rows}
          scale={scale}
          view={view}
          chosen={chosen}
          choose={choose}
          collapsed={collapsed}
          setCollapsed={setCollapsed}
          scrubber={scrubber}
          zoom={(factor, around) => setView((old) => zoomView(old, factor, around))}
          shift={(by) => setView((old) => panView(old, by))}
        />
      )}
      <div className="flex shrink-0 flex-wrap items-center gap-x-3 border-t border-line bg-panel px-4 py-0.5 max-sm:hidden">
        <KindLegend items={items} noun={noun} only={look.kind} setOnly={(kind) => setLook({ kind })} />
        <span className="ml-auto flex items-center gap-1">
          <Check
            label="Collapse idle time"
            checked={look.idle === 'collapsed'}
            set={(on) => setLook({ idle: on ? 'collapsed' : 'shown' })}
          />
          <Button size="small" onClick={collapsed.size > 0 ? () => setCollapsed(NONE) : collapseAll}>
            {collapsed.size > 0 ? 'Expand all' : 'Collapse all'}
          </Button>
          <IconButton label="Zoom in (Ctrl + mouse wheel)" onClick={() => setView(zoomView(view, 0.5))}>
            <Icon name="plus" />
          </IconButton>
          <IconButton label="Reset zoom" disabled={view === FULL_VIEW} onClick={() => setView(FULL_VIEW)}>
            <Icon name="fit" />
          </IconButton>
        </span>
      </div>
    </>
  )
}

interface Found {
  readonly rows: readonly TreeItem[]
  /** Number of rows that match; undefined without a filter. */
  readonly matching: number | undefined
}

/** The rows that match, each in its context. */
function useFound(items: readonly TreeItem[], { search, kind, status }: TreeLook): Found {
  return useMemo(() => {
    const words = search.toLowerCase().split(/\s+/).filter(Boolean)
    const only = kind in ITEM_KINDS ? kind : undefined
    const onlyErrors = status === 'error'
    if (words.length === 0 && only === undefined && !onlyErrors) return { rows: items, matching: undefined }
    const { shown, matching } = findItems(items, (item) => {
      if (onlyErrors && !item.isFailed) return false
      if (only !== undefined && item.kind !== only) return false
      if (words.length === 0) return true
      const text = item.text()
      // ids match as a whole: parts of an id occur in many ids
      return words.every((word) => text.includes(word) || item.key === word || item.key.endsWith(`/${word}`))
    })
    return {
      rows: shown.map((item) => (matching.has(item) ? item : { ...item, isFaint: true })),
      matching: matching.size,
    }
  }, [items, search, kind, status])
}

function useScale(items: readonly TreeItem[], { start, end }: Interval, isCollapsed: boolean): TimeScale {
  return useMemo(
    () => timeScale({ start, end }, isCollapsed ? items.flatMap(({ busy }) => busy) : [], isCollapsed),
    [items, start, end, isCollapsed],
  )
}

function Check({ label, checked, set }: { label: string; checked: boolean; set: (on: boolean) => void }) {
  return (
    <label className="flex min-h-6 items-center gap-1.5 text-sm">
      <input type="checkbox" checked={checked} onChange={(event) => set(event.target.checked)} />
      {label}
    </label>
  )
}

interface KindLegendProps {
  readonly items: readonly TreeItem[]
  readonly noun: string
  /** The only kind that is shown; empty for all. */
  readonly only: string
  readonly setOnly: (kind: string) => void
}

/** The legend of the colours with the number of rows of each kind; a click filters by kind. */
function KindLegend({ items, noun, only, setOnly }: KindLegendProps) {
  const counts = useMemo(() => {
    const all = new Map<ItemKind, number>()
    for (const { kind } of items) all.set(kind, (all.get(kind) ?? 0) + 1)
    return all
  }, [items])
  const kinds = Object.entries(ITEM_KINDS) as [ItemKind, readonly [string, string]][]
  return (
    <div role="group" aria-label={`Kinds of ${noun}`} className="flex flex-wrap text-sm">
      {kinds
        .filter(([kind]) => counts.has(kind) || kind === only)
        .map(([kind, [name, tone]]) => (
          <button
            key={kind}
            type="button"
            aria-pressed={only === kind}
            title="Show only this kind"
            onClick={() => setOnly(only === kind ? '' : kind)}
            className="flex min-h-6 items-center gap-1 rounded-sm px-1.5 text-dim hover:bg-hover aria-pressed:bg-chosen aria-pressed:text-text"
          >
            <span aria-hidden="true" className={`size-2.5 rounded-[2px] ${tone}`} />
            {name}
            <span>{counts.get(kind) ?? 0}</span>
          </button>
        ))}
    </div>
  )
}
