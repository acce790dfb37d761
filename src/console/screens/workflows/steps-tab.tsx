import { hasWords } from '../../search/found.ts'
import { Fragment, useEffect, useMemo, useRef } from 'react'
import type { StepDescription, WorkflowDetail } from '../../../contract/endpoints/workflow.ts'
import { STEP_KINDS, StepKindIcon } from '../../graph/step-kind.tsx'
import { flattenSteps } from '../../graph/step-tree.ts'
import type { FlatStep } from '../../graph/step-tree.ts'
import { JsonView } from '../../json/json-view.tsx'
import { Link } from '../../router/link.tsx'
import { useUrlState } from '../../router/use-url-state.ts'
import { EmptyState } from '../../ui/state/states.tsx'
import { FilterBar, FilterText } from '../../filters/filter-bar.tsx'
import { Icon } from '../../ui/icon.tsx'
import { retriesText, timeoutText } from './step-details.tsx'

const STATE = { step: '', q: '' }
const SCHEMAS = [
  ['inputSchema', 'input'],
  ['outputSchema', 'output'],
  ['suspendSchema', 'suspend'],
  ['resumeSchema', 'resume'],
] as const
const COLUMNS = [
  ['Step', 'w-[24%]'],
  ['Type', 'w-[14%]'],
  ['Purpose', 'w-[24%]'],
  ['Retries', 'w-[18%]'],
  ['Timeout', 'w-[7rem]'],
  ['Schemas', 'w-[12rem]'],
] as const

/** All steps with their options and schemas. */
export function StepsTab({ workflow }: { readonly workflow: WorkflowDetail }) {
  const [{ step: chosen, q }, set] = useUrlState(STATE)
  const placed = useMemo(() => flattenSteps(workflow.steps), [workflow.steps])
  const shown = placed.filter((one) => matches(one, q))
  return (
    <>
      <FilterBar>
        <FilterText label="Search steps" first value={q} onChange={(text) => set({ q: text })} />
        <span className="ml-auto text-sm text-dim">
          {shown.length === placed.length
            ? `${placed.length} steps`
            : `${shown.length} of ${placed.length} steps`}
        </span>
      </FilterBar>
      {shown.length === 0 ? (
        <EmptyState title={placed.length === 0 ? 'No steps' : 'No steps match this filter'} />
      ) : (
        <div tabIndex={0} role="region" aria-label="Steps" className="min-h-0 flex-1 overflow-auto">
          <table className="w-full min-w-[44rem] table-fixed">
            <thead className="sticky top-0 bg-panel text-left text-sm text-dim">
              <tr>
                {COLUMNS.map(([name, width]) => (
                  <th
                    key={name}
                    scope="col"
                    className={`h-7 whitespace-nowrap px-2 font-normal first:pl-4 ${width}`}
                  >
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {shown.map((one) => (
                <StepRow
                  key={one.path}
                  placed={one}
                  chosen={one.path === chosen}
                  choose={(isOpen) => set({ step: isOpen ? one.path : '' })}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  )
}

function matches({ step, path }: FlatStep, q: string): boolean {
  return hasWords(q, path, step.name, step.type, step.purpose)
}

interface StepRowProps {
  readonly placed: FlatStep
  readonly chosen: boolean
  readonly choose: (isOpen: boolean) => void
}

function StepRow({ placed: { step, depth, path }, chosen, choose }: StepRowProps) {
  const row = useRef<HTMLTableRowElement>(null)
  useEffect(() => {
    if (chosen) row.current?.scrollIntoView({ block: 'nearest' })
  }, [chosen])
  const schemas = SCHEMAS.filter(([key]) => step[key] !== undefined)
  const { prefix } = STEP_KINDS[step.type]
  return (
    <Fragment>
      <tr ref={row} className={`border-t border-line align-top ${chosen ? 'bg-chosen' : ''}`}>
        <th scope="row" className="px-2 py-1 pl-4 text-left font-normal">
          <span className="flex items-start gap-1.5" style={{ paddingLeft: depth * 16 }}>
            <span className="flex h-5 items-center">
              <StepKindIcon type={step.type} />
            </span>
            <span className="line-clamp-4 min-w-0 [overflow-wrap:anywhere]">
              {prefix !== '' && <span className="text-dim">{prefix} </span>}
              <bdi className="font-medium">{step.name}</bdi>
              {step.id !== step.name && <span className="block font-mono text-sm text-dim">{step.id}</span>}
            </span>
          </span>
        </th>
        <td className="px-2 py-1">
          {step.type}
          {step.hasCompensation && <span className="text-dim">, with compensation</span>}
          <TargetLink step={step} />
        </td>
        <td className="px-2 py-1 [overflow-wrap:anywhere]">
          <span className="line-clamp-4" title={step.purpose}>
            <bdi>{step.purpose}</bdi>
          </span>
        </td>
        <td className="px-2 py-1">{retriesText(step)}</td>
        <td className="whitespace-nowrap px-2 py-1">{timeoutText(step)}</td>
        <td className="px-2 py-1">
          {schemas.length > 0 && (
            <button
              type="button"
              aria-expanded={chosen}
              aria-label={`Schemas of ${step.name}: ${schemas.map(([, name]) => name).join(', ')}`}
              onClick={() => choose(!chosen)}
              className="inline-flex min-h-6 items-center gap-1 text-accent hover:underline"
            >
              <Icon name={chosen ? 'down' : 'right'} />
              {schemas.map(([, name]) => name).join(', ')}
            </button>
          )}
        </td>
      </tr>
      {chosen && schemas.length > 0 && (
        <tr>
          <td colSpan={COLUMNS.length} className="px-4 pb-3 pt-1">
            <div className="grid gap-4 lg:grid-cols-2">
              {schemas.map(([key, name]) => (
                <section key={key} className="min-w-0">
                  <h2 className="pb-1 text-sm font-semibold text-dim">{name}</h2>
                  <JsonView value={step[key]} label={`${name} schema of ${path}`} open={3} />
                </section>
              ))}
            </div>
          </td>
        </tr>
      )}
    </Fragment>
  )
}

function TargetLink({ step: { agentId, workflowId } }: { readonly step: StepDescription }) {
  const [area, id] = agentId === undefined ? ['workflows', workflowId] : ['agents', agentId]
  if (id === undefined) return null
  return (
    <>
      {' '}
      <Link to={`${area}/${encodeURIComponent(id)}`} className="text-accent underline">
        {id}
      </Link>
    </>
  )
}
