import { useEffect, useEffectEvent, useState } from 'react'
import { Autocomplete } from '@base-ui/react/autocomplete'
import { Search as SearchIcon } from 'lucide-react'
import { Dialog } from '../ui/dialog/dialog.tsx'
import type { Found, FoundGroup } from './found.ts'
import { SearchActions } from './search-actions.tsx'
import { SearchNote } from './search-note.tsx'
import { SearchOption } from './search-option.tsx'
import { useSearch } from './use-search.ts'
import type { SavedView } from './saved-views.ts'
import { ViewNameDialog } from './view-name-dialog.tsx'

interface NamedView {
  readonly view: SavedView
  readonly saved: string | undefined
}

/** Finds pages, actions, executions, answers and messages, and does something with what was found. */
export function SearchDialog({ close }: { readonly close: () => void }) {
  const [text, setText] = useState('')
  const [named, setNamed] = useState<NamedView>()
  if (named) return <ViewNameDialog {...named} close={() => setNamed(undefined)} />
  return (
    <SearchBox
      text={text}
      setText={setText}
      close={close}
      nameView={(view, saved) => setNamed({ view, saved })}
    />
  )
}

interface SearchBoxProps {
  readonly text: string
  readonly setText: (text: string) => void
  readonly close: () => void
  readonly nameView: (view: SavedView, saved?: string) => void
}

function SearchBox({ text, setText, close, nameView }: SearchBoxProps) {
  const { shown, isSearching, retry } = useSearch(text, nameView)
  /** Enter was pressed before there were results for the text: the first of them is run. */
  const [isEntered, setEntered] = useState(false)
  const [pointed, setPointed] = useState<string>()
  const items = shown.groups.flatMap((group) => group.items)
  const isStale = shown.text !== text
  const chosen = items.find(({ key }) => key === pointed) ?? items[0]
  const change = (next: string) => {
    setText(next)
    setEntered(false)
  }
  const run = (found: Found) => {
    if (found.completed !== undefined) change(found.completed)
    else perform(found)
  }
  const perform = ({ run: action, stays }: Pick<Found, 'run' | 'stays'>) => {
    if (stays !== true) close()
    action()
  }
  const runFirst = useEffectEvent(() => {
    if (isStale || !isEntered) return
    const [first] = items
    if (first || shown.isComplete) setEntered(false)
    if (first) run(first)
  })
  useEffect(() => runFirst(), [shown])
  return (
    <Dialog title="Search" close={close} quiet>
      <div className="flex h-[34rem] max-h-[75dvh] w-[54rem] max-w-full flex-col">
        <Autocomplete.Root
          inline
          open
          items={shown.groups}
          filter={null}
          autoHighlight="always"
          keepHighlight
          itemToStringValue={({ name }: Found) => name}
          value={text}
          onValueChange={(value, { reason }) => {
            if (reason === 'input-change' || reason === 'input-clear') change(value)
          }}
          onItemHighlighted={(found: Found | undefined) => {
            if (found) setPointed(found.key)
          }}
        >
          <div className="flex shrink-0 items-center gap-2 border-b border-line px-1">
            <SearchIcon aria-hidden="true" className="size-4 shrink-0 text-dim" />
            <Autocomplete.Input
              aria-label="Search"
              placeholder="Pages, actions, executions, answers, logs…"
              spellCheck={false}
              onKeyDown={(event) => {
                if (event.key !== 'Enter' || event.nativeEvent.isComposing) return
                if (!isStale && (items.length > 0 || shown.isComplete)) return
                event.preventBaseUIHandler()
                setEntered(true)
              }}
              className="min-w-0 flex-1 bg-transparent py-2 outline-none"
            />
            <span role="status" className="shrink-0 text-sm text-dim">
              {isSearching ? 'Searching…' : <span className="sr-only">{`${items.length} results`}</span>}
            </span>
          </div>
          <SearchNote text={text} shown={shown} isStale={isStale} retry={retry} />
          <div className="flex min-h-0 flex-1 max-sm:flex-col">
            <Autocomplete.List
              aria-label="Results"
              aria-busy={isSearching}
              className="min-h-0 min-w-0 flex-1 overflow-auto pb-1 data-empty:hidden"
            >
              {(group: FoundGroup) => (
                <Autocomplete.Group key={group.name} items={group.items}>
                  <Autocomplete.GroupLabel className="px-2 pb-0.5 pt-2 text-sm font-medium text-dim">
                    {group.name}
                  </Autocomplete.GroupLabel>
                  <Autocomplete.Collection>
                    {(found: Found) => <SearchOption key={found.key} found={found} run={() => run(found)} />}
                  </Autocomplete.Collection>
                </Autocomplete.Group>
              )}
            </Autocomplete.List>
            {chosen && <SearchActions found={chosen} open={() => run(chosen)} perform={perform} />}
          </div>
        </Autocomplete.Root>
      </div>
    </Dialog>
  )
}
