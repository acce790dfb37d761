import type { ExecutionDetail } from '../../../../contract/endpoints/execution.ts'
import { Link } from '../../../router/link.tsx'
import { Fact } from '../../../ui/layout/fact.tsx'
import { useReplays } from './use-replays.ts'

/** Links shown; the others are in the timeline and the list. */
const MAX_LINKS = 4

/** Parent, replayed execution, children and replays. */
export function Lineage({ record, stored }: { record: ExecutionDetail; stored: boolean }) {
  const { id, parentExecutionId, forkedFrom, steps } = record
  const children = steps.flatMap(({ childExecutionId, name }) =>
    childExecutionId === undefined ? [] : [{ id: childExecutionId, name }],
  )
  const replays = useReplays(id, stored)
  return (
    <>
      {parentExecutionId !== undefined && (
        <Fact name="Parent">
          <ExecutionLink id={parentExecutionId} />
        </Fact>
      )}
      {forkedFrom && (
        <Fact name={forkedFrom.pinned ? 'Pinned replay of' : 'Replay of'}>
          <ExecutionLink id={forkedFrom.executionId} />
          <span className="text-dim">from step {forkedFrom.stepId}</span>
        </Fact>
      )}
      {children.length > 0 && (
        <Fact name={children.length === 1 ? 'Child' : `${children.length} children`}>
          {children.slice(0, MAX_LINKS).map((child) => (
            <ExecutionLink key={child.id} id={child.id} text={child.name} />
          ))}
          {children.length > MAX_LINKS && (
            <Link to={`executions?parentExecutionId=${encodeURIComponent(id)}`}>show all</Link>
          )}
        </Fact>
      )}
      {replays.length > 0 && (
        <Fact name={replays.length === 1 ? 'Replay' : `${replays.length} replays`}>
          {replays.slice(0, MAX_LINKS).map((replay) => (
            <ExecutionLink key={replay.id} id={replay.id} />
          ))}
          {replays.length > MAX_LINKS && (
            <Link to={`executions?forkedFrom=${encodeURIComponent(id)}`}>show all</Link>
          )}
        </Fact>
      )}
    </>
  )
}

function ExecutionLink({ id, text }: { readonly id: string; readonly text?: string }) {
  return (
    <Link to={`executions/${encodeURIComponent(id)}`} title={id}>
      {text ?? <span className="font-mono text-sm">{id.length > 16 ? `…${id.slice(-12)}` : id}</span>}
    </Link>
  )
}
