import { useEffect, useMemo, useRef, useState } from 'react'
import type { AgentDetail } from '../../../contract/endpoints/agent.ts'
import type { Span } from '../../../contract/endpoints/trace.ts'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { InputsMenu } from '../../form/inputs-menu.tsx'
import { useKeys } from '../../keys/use-keys.ts'
import { Link } from '../../router/link.tsx'
import type { ScreenProps } from '../../router/route.ts'
import { useUrlState } from '../../router/use-url-state.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { PageHeader } from '../../ui/layout/page-header.tsx'
import { Pending } from '../../ui/state/states.tsx'
import { RecordedColumn } from './lab-answer.tsx'
import { LabColumnView } from './lab-column.tsx'
import type { ColumnHandle } from './lab-column.tsx'
import {
  draftOf,
  findCall,
  MAX_COLUMNS,
  messagesIn,
  MIN_COLUMNS,
  recordedAnswer,
  VERSION,
} from './lab-draft.ts'
import type { LabColumn, LabDraft, LabMessage } from './lab-draft.ts'

const STATE = { trace: '', span: '' }

/** Asks an agent with other instructions, messages, tools, models or settings, side by side. */
export function LabScreen({ params }: ScreenProps) {
  const id = params['id'] ?? ''
  const [{ trace, span }] = useUrlState(STATE)
  const agent = useEndpoint('getAgent', { params: { id } })
  const call = useEndpoint('getTrace', { params: { traceId: trace } }, { enabled: trace !== '' })
  const { data } = agent
  // a trace that is gone leaves what the agent has
  const isReady = data && (trace === '' || call.data !== undefined || call.error)
  return (
    <>
      <PageHeader
        title="Prompt lab"
        aside={
          <Link
            to={`agents/${encodeURIComponent(id)}`}
            className="line-clamp-2 min-w-0 text-accent underline [overflow-wrap:anywhere]"
          >
            {data?.name ?? id}
          </Link>
        }
      />
      {isReady ? (
        <Lab
          key={`${id} ${trace} ${span}`}
          agent={data}
          address={`${id} ${trace} ${span}`}
          spans={call.data?.spans ?? []}
          spanId={span}
        />
      ) : (
        <Pending error={agent.error} retry={agent.refetch} />
      )}
    </>
  )
}

interface LabProps {
  readonly agent: AgentDetail
  readonly address: string
  readonly spans: readonly Span[]
  readonly spanId: string
}

function Lab({ agent, address, spans, spanId }: LabProps) {
  const call = findCall(spans, spanId)
  const answer = useMemo(() => recordedAnswer(agent, call, spans), [agent, call, spans])
  const models = useModels()
  const recorded = () => draftOf(agent, call, spans)
  const [initial, setInitial] = useState(() => keptDraft(address) ?? recorded())
  const [draft, setDraft] = useState(initial)
  const [version, setVersion] = useState(0)
  const handles = useRef(new Map<number, ColumnHandle>())
  useEffect(() => {
    if (draft !== initial) keepDraft(address, draft)
  }, [address, draft, initial])
  // several columns may change at once
  const setColumns = (next: (columns: readonly LabColumn[]) => readonly LabColumn[]) =>
    setDraft((before) => ({ ...before, columns: next(before.columns) }))
  const put = (key: number, part: Partial<LabColumn>) =>
    setColumns((columns) => columns.map((column) => (column.key === key ? { ...column, ...part } : column)))
  const duplicate = (column: LabColumn) =>
    setColumns((columns) => [...columns, { ...column, key: Math.max(...columns.map((one) => one.key)) + 1 }])
  const reset = () => {
    const fresh = recorded()
    dropDraft(address)
    setInitial(fresh)
    setDraft(fresh)
    setVersion(version + 1)
  }
  const runAll = () => {
    for (const handle of handles.current.values()) handle.run()
  }
  const stopAll = () => {
    for (const handle of handles.current.values()) handle.stop()
  }
  const group = 'Prompt lab'
  useKeys([
    { keys: 'mod+Enter', label: 'Run all', group, whileTyping: true, run: runAll },
    { keys: 'Escape', label: 'Stop all', group, whileTyping: true, run: stopAll },
  ])
  const canAdd = draft.columns.length < MAX_COLUMNS
  const hasContent = call === undefined || 'gen_ai.input.messages' in call.attributes
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line px-4 py-2">
        <Button kind="primary" onClick={runAll} keys="Ctrl+Enter">
          <Icon name="play" /> Run all
        </Button>
        <LabInputs
          agent={agent}
          choose={(messages) => setColumns((columns) => columns.map((column) => ({ ...column, messages })))}
        />
        <Button onClick={reset}>
          <Icon name="retry" /> Reset
        </Button>
        <label className="flex min-h-6 items-center gap-1.5">
          <input
            type="checkbox"
            checked={draft.executeTools}
            onChange={({ target: { checked } }) =>
              setDraft((before) => ({ ...before, executeTools: checked }))
            }
          />
          Execute tools
        </label>
        <span className="text-sm text-dim">
          {draft.executeTools
            ? 'Tools are executed, with their effects; those that need approval are not.'
            : `No tool is executed; ${draft.toolResults.length} recorded ${draft.toolResults.length === 1 ? 'result is' : 'results are'} used.`}
        </span>
        {!hasContent && (
          <span className="text-sm text-suspended">
            The messages of the call were not recorded (observability.captureContent).
          </span>
        )}
      </div>
      <div
        className="grid min-h-0 flex-1 auto-cols-[minmax(20rem,1fr)] grid-flow-col overflow-auto max-sm:auto-cols-[92%]"
        tabIndex={0}
        role="region"
        aria-label="Columns"
      >
        {answer && <RecordedColumn recorded={answer} />}
        {draft.columns.map((column, index) => (
          <LabColumnView
            key={`${version} ${column.key}`}
            agent={agent}
            draft={draft}
            column={column}
            place={index + 1}
            models={models}
            recorded={answer}
            onChange={(part) => put(column.key, part)}
            duplicate={canAdd ? () => duplicate(column) : undefined}
            remove={
              draft.columns.length > MIN_COLUMNS
                ? () => setColumns((columns) => columns.filter(({ key }) => key !== column.key))
                : undefined
            }
            runAll={runAll}
            handle={(handle) => {
              if (handle) handles.current.set(column.key, handle)
              else handles.current.delete(column.key)
            }}
          />
        ))}
      </div>
    </div>
  )
}

interface LabInputsProps {
  readonly agent: AgentDetail
  readonly choose: (messages: readonly LabMessage[]) => void
}

/** Fills all columns with an example or a case of the agent. */
function LabInputs({ agent: { id, examples = [] }, choose }: LabInputsProps) {
  const cases = useEndpoint('listAgentCases', { params: { id } }, { enabled: false })
  return <InputsMenu examples={examples} cases={cases} choose={(input) => choose(messagesIn(input))} />
}

/** The models of all agents, and those with a price in the configuration. */
function useModels(): readonly string[] {
  const { data: agents = [] } = useEndpoint('listAgents', {})
  const { data: settings } = useEndpoint('getServerSettings', {})
  const own = agents.flatMap(({ provider, model, fallbackModels }) => [
    ...(model === null ? [] : [`${provider}/${model}`]),
    ...fallbackModels,
  ])
  return [...new Set([...own, ...(settings?.pricedModels ?? [])])].toSorted()
}

const PREFIX = 'agentserver.lab.'

/** The draft of this tab for an address, if it was edited before. */
function keptDraft(address: string): LabDraft | undefined {
  try {
    const draft = JSON.parse(sessionStorage.getItem(PREFIX + address) ?? 'null') as Partial<LabDraft> | null
    return draft?.version === VERSION ? (draft as LabDraft) : undefined
  } catch {
    return undefined
  }
}

/** Keeps a draft until the tab is closed. A draft that is too large is not kept. */
function keepDraft(address: string, draft: LabDraft): void {
  try {
    sessionStorage.setItem(PREFIX + address, JSON.stringify(draft))
  } catch {
    sessionStorage.removeItem(PREFIX + address)
  }
}

function dropDraft(address: string): void {
  sessionStorage.removeItem(PREFIX + address)
}
