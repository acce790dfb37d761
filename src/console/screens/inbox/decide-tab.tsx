import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import type { ReactNode, RefObject } from 'react'
import { ApiError } from '../../../client/api-error.ts'
import type { ListedApproval } from '../../../contract/endpoints/agents/pending-approvals.ts'
import type { ExecutionRecord } from '../../../contract/endpoints/execution.ts'
import { useEndpoint } from '../../api/use-endpoint.ts'
import type { HeldDecisions } from '../../approvals/held-decisions.ts'
import type { ReadyDecision } from '../../execution/use-resume.ts'
import { useKeys } from '../../keys/use-keys.ts'
import { Link } from '../../router/link.tsx'
import { useUrlState } from '../../router/use-url-state.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Pending, EmptyState } from '../../ui/state/states.tsx'
import { statusText } from '../../ui/state/status-badge.tsx'
import { useSteadyList } from '../../ui/table/use-steady-list.ts'
import { countText } from '../../ui/time/format-time.ts'
import { useUsage } from '../../usage/use-usage.ts'
import { ApprovalCard, ExecutionCard } from './decision-card.tsx'
import { useApprovals, useNeeded } from './use-needed.ts'

const SUSPENDED = { query: { needsInput: 'true', limit: '50' } } as const
const STATE = { item: '' }
const EXAMPLE = `.andThen({
  id: 'approve',
  resumeSchema: z.object({ approved: z.boolean() }),
  execute: ({ data, resumeData, suspend }) =>
    resumeData ?? suspend('Reimburse this?', { amount: data.amount }),
})`

type Need = ListedApproval | ExecutionRecord

/** An execution or an answer that suspends again has another key: it waits for something else. */
function keyOf(need: Need): string {
  return 'approvalId' in need
    ? `${need.approvalId} ${need.createdAt}`
    : `${need.id} ${need.suspension?.suspendedAt ?? need.status}`
}

/** The id of a need in the URL. */
function itemOf(need: Need): string {
  return 'approvalId' in need ? need.approvalId : need.id
}

/** What waits for the decision or the data of a person, as cards: of executions, and of agents. */
export function DecideTab({ held }: { readonly held: HeldDecisions }) {
  const [{ item }] = useUrlState(STATE)
  const suspended = useNeeded(SUSPENDED)
  const approvals = useApprovals()
  const isLoaded = suspended.data && approvals.data
  const all: readonly Need[] = [...(approvals.data ?? []), ...(suspended.data ?? [])]
  // once decided, the approval of a link is in no list any more
  const [approval, setApproval] = useState('')
  if (approval !== item && approvals.data?.some(({ approvalId }) => approvalId === item)) setApproval(item)
  const isApproval = item !== '' && approval === item
  const linked = useLinked(isApproval ? '' : item, isLoaded && all)
  const nothing = isApproval ? <NotHere /> : linked.state
  const { usage } = useUsage()
  if (!isLoaded)
    return (
      <Pending
        error={suspended.error ?? approvals.error}
        retry={() => {
          suspended.refetch()
          approvals.refetch()
        }}
      />
    )
  const needs =
    item === '' ? all : [...all, ...linked.needs].filter((need) => itemOf(need) === item).slice(0, 1)
  const total = usage ? usage.needsYou.suspended + usage.needsYou.approvals : all.length
  return (
    <>
      {item !== '' && (
        <p className="flex flex-wrap gap-x-3 border-b border-line px-4 py-1.5">
          <Link to="inbox" className="text-accent">
            All decisions ({countText(total)})
          </Link>
        </p>
      )}
      <Cards needs={needs} held={held} empty={item === '' ? <NothingToDecide /> : nothing} />
      {item === '' && total > all.length && (
        <p className="px-4 pb-4 text-sm">
          <Link to="executions?status=suspended">{countText(total - all.length)} more</Link>
        </p>
      )}
    </>
  )
}

function NothingToDecide() {
  return (
    <EmptyState title="Nothing needs a decision" code={EXAMPLE}>
      Steps and tools that wait for a person are listed here:
    </EmptyState>
  )
}

function NotHere() {
  return (
    <EmptyState title="This decision is not here">
      It is decided, its run was deleted, or it is not among the first that are listed.
    </EmptyState>
  )
}

/** The execution that a link names, which the list may not have: it has ended, or is one of very many. */
function useLinked(item: string, listed: readonly Need[] | undefined) {
  const isListed = listed?.some((need) => itemOf(need) === item)
  const enabled = item !== '' && isListed === false
  const { data, error, refetch } = useEndpoint(
    'observeExecution',
    { params: { executionId: item } },
    { enabled },
  )
  const isWaiting = data?.status === 'suspended'
  return {
    needs: enabled && data && isWaiting ? [data] : [],
    state:
      data && !isWaiting ? (
        <EmptyState title="Nothing needs a decision here">
          <Link to={`executions/${encodeURIComponent(item)}`} className="text-accent">
            The run
          </Link>{' '}
          is {statusText(data.status)}.
        </EmptyState>
      ) : error instanceof ApiError && error.status === 404 ? (
        <NotHere />
      ) : (
        <Pending error={error} retry={refetch} />
      ),
  }
}

interface CardsProps {
  readonly needs: readonly Need[]
  readonly held: HeldDecisions
  readonly empty: ReactNode
}

function Cards({ needs, held, empty }: CardsProps) {
  const decided = useSyncExternalStore(held.subscribe, held.decided)
  const list = useRef<HTMLUListElement>(null)
  const rows = useSteadyList(list, needs, { keyOf, keeps: (key) => decided.get(key)?.isHeld === true })
  const forms = useReadyForms()
  const [chosen, choose] = useState<ReadonlySet<string>>(new Set())
  const selected = rows
    .filter(({ item, isGone }) => !isGone && chosen.has(keyOf(item)) && !decided.has(keyOf(item)))
    .map(({ item }) => keyOf(item))
    .filter((key) => forms.of(key)?.isComplete)
  // a card that only keeps its place asks nothing any more
  const isOpen = (key: string) => rows.some(({ item, isGone }) => !isGone && keyOf(item) === key)
  const decideAll = (approved: boolean) => {
    for (const key of selected) forms.of(key)?.decide(approved)
    choose(new Set())
  }
  useCardKeys(list, (key, approved) => {
    if (isOpen(key)) forms.of(key)?.decide(approved)
  })
  if (rows.length === 0) return empty
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      {selected.length > 0 && (
        <div
          role="group"
          aria-label="Selected decisions"
          className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line bg-panel px-4 py-1.5"
        >
          <span role="status">{countText(selected.length)} selected</span>
          <Button size="touch" kind="primary" onClick={() => decideAll(true)}>
            Approve {countText(selected.length)}
          </Button>
          <Button size="touch" kind="danger" onClick={() => decideAll(false)}>
            Reject {countText(selected.length)}
          </Button>
          <Button size="touch" onClick={() => choose(new Set())}>
            Clear
          </Button>
        </div>
      )}
      <ul
        ref={list}
        aria-label="Decisions"
        className="flex min-h-0 flex-1 flex-col gap-3 overflow-auto p-4 max-sm:p-2"
      >
        {rows.map(({ item, isGone }) => {
          const key = keyOf(item)
          const props = {
            id: key,
            held,
            decided: decided.get(key),
            isGone,
            link: `inbox?item=${encodeURIComponent(itemOf(item))}`,
            onReady: forms.set,
            selection: forms.of(key)?.isComplete
              ? {
                  isSelected: selected.includes(key),
                  toggle: () => choose(toggled(chosen, key)),
                }
              : undefined,
          }
          return 'approvalId' in item ? (
            <ApprovalCard key={key} approval={item} {...props} />
          ) : (
            <ExecutionCard key={key} record={item} {...props} />
          )
        })}
      </ul>
    </div>
  )
}

function toggled(chosen: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(chosen)
  if (!next.delete(key)) next.add(key)
  return next
}

interface ReadyForms {
  readonly of: (key: string) => ReadyDecision | undefined
  readonly set: (key: string, form: ReadyDecision | undefined) => void
}

/** The forms of the cards that have a decision. */
function useReadyForms(): ReadyForms {
  const [forms, setForms] = useState<ReadonlyMap<string, ReadyDecision>>(new Map())
  const set = useCallback((key: string, form: ReadyDecision | undefined) => {
    setForms((old) => {
      const next = new Map(old)
      if (form) next.set(key, form)
      else next.delete(key)
      return next
    })
  }, [])
  return { of: (key) => forms.get(key), set }
}

/** `j` and `k` move from card to card, `a` and `r` decide the one that has the focus. */
function useCardKeys(
  list: RefObject<HTMLUListElement | null>,
  decide: (key: string, approved: boolean) => void,
): void {
  const cards = () => [...(list.current?.querySelectorAll<HTMLElement>('[data-decision]') ?? [])]
  const current = () => cards().find((card) => card.contains(document.activeElement))
  const move = (by: number) => {
    const all = cards()
    const at = all.findIndex((card) => card.contains(document.activeElement))
    const next = all[at === -1 ? 0 : Math.max(0, Math.min(all.length - 1, at + by))]
    next?.focus({ preventScroll: true })
    next?.scrollIntoView({ block: 'nearest' })
  }
  const decideCurrent = (approved: boolean) => {
    const card = current()
    // nothing is decided that has not been looked at
    if (card) decide(card.dataset['decision'] ?? '', approved)
    else move(0)
  }
  const group = 'Inbox'
  useKeys([
    { keys: 'j', label: 'Next decision', group, run: () => move(1) },
    { keys: 'k', label: 'Previous decision', group, run: () => move(-1) },
    { keys: 'a', label: 'Approve', group, run: () => decideCurrent(true) },
    { keys: 'r', label: 'Reject (replays on other pages)', group, run: () => decideCurrent(false) },
  ])
  // a link to one decision leads the keys to it
  useEffect(() => {
    if (new URLSearchParams(location.search).has('item'))
      list.current?.querySelector<HTMLElement>('[data-decision]')?.focus()
  }, [list])
}
