import { useEndpoint } from '../../api/use-endpoint.ts'
import { Link } from '../../router/link.tsx'
import { CostTable, costText } from '../../usage/cost-table.tsx'
import { Pending, EmptyState } from '../../ui/state/states.tsx'

/** What an execution has cost, by step, agent and model. */
export function CostsView({ executionId }: { readonly executionId: string }) {
  const { data, error, refetch } = useEndpoint('getExecutionCosts', { params: { executionId } })
  if (!data) return <Pending error={error} retry={refetch} />
  if (data.steps.length === 0)
    return (
      <EmptyState title="No model calls counted">
        Calls count when the answer of an agent ends. Child runs have costs of their own.
      </EmptyState>
    )
  return (
    <div
      tabIndex={0}
      role="region"
      aria-label="Costs"
      className="flex min-h-0 flex-1 flex-col gap-3 overflow-auto p-4"
    >
      <p>
        <strong className="font-semibold">{costText(data.total)}</strong>{' '}
        <span className="text-dim">
          for {data.total.calls === 1 ? 'one model call' : `${data.total.calls} model calls`}; child runs have
          costs of their own
        </span>
      </p>
      <CostTable
        title="By step, agent and model"
        rows={data.steps}
        rowKey={({ step, agentId, model }) => `${step} ${agentId} ${model}`}
        column={{
          name: 'Step',
          cell: ({ step, agentId, model }) => (
            <>
              {step}
              <span className="block text-sm text-dim">
                <Link to={`agents/${encodeURIComponent(agentId)}`} className="text-accent underline">
                  {agentId}
                </Link>
                , <bdi>{model}</bdi>
              </span>
            </>
          ),
        }}
      />
    </div>
  )
}
