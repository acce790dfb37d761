import { useEffect, useEffectEvent, useState } from 'react'
import { Autocomplete } from '@base-ui/react/autocomplete'
import { Search as SearchIcon } from 'lucide-react'
import { ApiError } from '../../client/api-error.ts'
import { errorMessage } from '../api/request-failure.ts'
import { useServices } from '../services/services-context.tsx'
import { Button } from '../ui/controls/button.tsx'
import { TextField } from '../ui/controls/text-field.tsx'
import { Dialog, FormDialog } from '../ui/dialog/dialog.tsx'
import { StatusIcon, statusText } from '../ui/state/status-badge.tsx'
import { Time } from '../ui/time/time.tsx'
import { openFilter } from './complete-filter.ts'
import type { Found, FoundGroup, FoundAction } from './found.ts'
import { readSearch } from './read-search.ts'
import type { SavedView } from './saved-views.ts'
import type { SearchProgress } from './search-in-order.ts'
import { useSearch } from './use-search.ts'

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
              placeholder="Pages, actions, runs, answers, logs…"
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

/** What the fields of a match are called. */
const FIELDS: Readonly<Record<string, string | undefined>> = { step: 'result of a step', detail: 'details' }

/** One result: its name, and dimmed what else is known. */
function SearchOption({ found, run }: { readonly found: Found; readonly run: () => void }) {
  const { name, note, status, at, match } = found
  return (
    <Autocomplete.Item
      value={found}
      onClick={run}
      className="cursor-pointer rounded-sm px-2 py-1 data-highlighted:bg-chosen"
    >
      <span className="flex min-w-0 items-baseline gap-3">
        <bdi className="min-w-0 shrink truncate">{name}</bdi>
        {note !== undefined && note !== '' && (
          <bdi className="min-w-0 shrink-[9] truncate text-sm text-dim" title={note}>
            {note}
          </bdi>
        )}
        <span className="ml-auto flex shrink-0 items-center gap-3 text-sm text-dim">
          {status !== undefined && (
            <span className="flex items-center gap-1">
              <StatusIcon status={status} />
              {statusText(status)}
            </span>
          )}
          {at !== undefined && <Time at={at} />}
        </span>
      </span>
      {match && (
        <span className="block truncate text-sm text-dim">
          {FIELDS[match.field] ?? match.field}: <bdi>{match.text}</bdi>
        </span>
      )}
    </Autocomplete.Item>
  )
}

interface SearchNoteProps {
  readonly text: string
  readonly shown: SearchProgress
  readonly isStale: boolean
  readonly retry: () => void
}

/** Why there are no or fewer results, and what to do about it. */
function SearchNote({ text, shown, isStale, retry }: SearchNoteProps) {
  const problem = problemIn(text)
  const [failure] = isStale ? [] : shown.failures
  if (failure !== undefined)
    return (
      <div role="alert" className="flex shrink-0 items-center justify-between gap-3 px-2 py-2 text-sm">
        <p className="min-w-0 text-error [overflow-wrap:anywhere]">{failureText(failure)}</p>
        <Button size="small" onClick={retry}>
          Search again
        </Button>
      </div>
    )
  if (problem !== undefined)
    return (
      <p role="status" className="shrink-0 px-2 py-2 text-sm text-suspended [overflow-wrap:anywhere]">
        {problem}
      </p>
    )
  const isEmpty = !isStale && shown.isComplete && shown.groups.length === 0
  return (
    <>
      {!isStale && shown.missing !== undefined && (
        <p role="status" className="shrink-0 px-2 py-2 text-sm text-suspended">
          {shown.missing}
        </p>
      )}
      {(isEmpty || hasNoRecords(text, shown, isStale)) && (
        <p className="shrink-0 px-2 py-2 text-sm text-dim">
          {isEmpty ? 'No results. ' : 'Nothing recorded matches. '}
          Use fewer words or filters, the beginning of a word, or a longer time, such as last:7d.
        </p>
      )}
    </>
  )
}

/** The groups that every valid search has. */
const ALWAYS = new Set(['Lists', 'Filters'])

/** Whether the text is a search of records that finds none. */
function hasNoRecords(text: string, { groups, isComplete }: SearchProgress, isStale: boolean): boolean {
  if (isStale || !isComplete || !readSearch(text).query) return false
  return groups.every(({ name }) => ALWAYS.has(name))
}

/** Why the text is not valid. A filter without a value is being typed. */
function problemIn(text: string): string | undefined {
  if (text.trim() === '') return undefined
  const { problem } = readSearch(text)
  const isCompleted = openFilter(text) !== undefined && text.endsWith(':')
  return isCompleted ? undefined : problem
}

function failureText(failure: unknown): string {
  const status = failure instanceof ApiError ? failure.status : undefined
  if (status === 0)
    return 'Records were not searched: the server cannot be reached. They are searched again when it is back.'
  const reason = status === undefined ? errorMessage(failure) : `HTTP ${status}, ${errorMessage(failure)}`
  return `Not everything was searched: ${reason}`
}

interface SearchActionsProps {
  /** The highlighted result. */
  readonly found: Found
  readonly open: () => void
  readonly perform: (action: FoundAction) => void
}

const BUTTON = 'flex items-center justify-between gap-3 rounded-sm px-2 py-1 text-left hover:bg-hover'

/** What can be done with the highlighted result. Tab moves from the field to these buttons. */
function SearchActions({ found, open, perform }: SearchActionsProps) {
  const { name, completed, actions = [] } = found
  return (
    <section
      aria-label="Actions"
      className="flex shrink-0 flex-col gap-px overflow-auto border-line p-1 text-sm max-sm:max-h-28 max-sm:border-t sm:w-52 sm:border-l"
    >
      <h3 className="truncate px-2 py-1 text-dim" title={name}>
        <bdi>{name}</bdi>
      </h3>
      <button type="button" className={BUTTON} onClick={open}>
        {completed === undefined ? 'Open' : 'Complete'}
        <kbd className="font-sans text-dim">Enter</kbd>
      </button>
      {actions.map((action) => (
        <button key={action.name} type="button" className={BUTTON} onClick={() => perform(action)}>
          {action.name}
        </button>
      ))}
      {actions.length > 0 && (
        <p className="mt-auto px-2 py-1 text-dim max-sm:hidden">
          <kbd className="font-sans">Tab</kbd> moves here
        </p>
      )}
    </section>
  )
}

interface ViewNameDialogProps {
  readonly view: SavedView
  /** The name of the view that is renamed; without it, the view is new. */
  readonly saved: string | undefined
  readonly close: () => void
}

/** Saves a view under a name, or renames it. */
function ViewNameDialog({ view, saved, close }: ViewNameDialogProps) {
  const { views, toasts } = useServices()
  const [name, setName] = useState(view.name)
  const [problem, setProblem] = useState<string>()
  const submit = () => {
    const found = views.save({ name, to: view.to }, saved)
    setProblem(found)
    if (found !== undefined) return
    toasts.info(saved === undefined ? 'Saved the view: / opens it' : 'Renamed the view')
    close()
  }
  return (
    <FormDialog
      title={saved === undefined ? 'Save as a view' : 'Rename view'}
      close={close}
      edited={name !== view.name}
      submit={submit}
      verb={saved === undefined ? 'Save' : 'Rename'}
    >
      <TextField label="Name" value={name} onChange={setName} error={problem} />
    </FormDialog>
  )
}
