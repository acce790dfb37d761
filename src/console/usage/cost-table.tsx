import { useId } from 'react'
import type { ReactNode } from 'react'
import type { CallCosts } from '../../contract/endpoints/usage.ts'
import { countText } from '../ui/time/format-time.ts'
import { formatCost } from '../../contract/usage/cost.ts'

export interface CostColumn<Row> {
  readonly name: string
  readonly cell: (row: Row) => ReactNode
}

export interface CostTableProps<Row extends CallCosts> {
  readonly title: string
  readonly rows: readonly Row[]
  /** What the rows are grouped by. */
  readonly column: CostColumn<Row>
  readonly rowKey: (row: Row) => string
}

/** Sums of model calls, each with its share of the largest. */
export function CostTable<Row extends CallCosts>({ title, rows, column, rowKey }: CostTableProps<Row>) {
  const id = useId()
  if (rows.length === 0) return null
  const most = Math.max(...rows.map(({ knownCostUsd }) => knownCostUsd))
  return (
    <section aria-labelledby={id} className="min-w-0">
      <h2 id={id} className="border-b border-line pb-1 font-semibold">
        {title}
      </h2>
      <table aria-labelledby={id} className="w-full table-fixed">
        <thead className="text-left text-sm text-dim">
          <tr>
            <th scope="col" className="h-7 pr-3 font-normal">
              {column.name}
            </th>
            <th scope="col" className="w-[8.5rem] pr-3 font-normal sm:w-[10rem]">
              Cost
            </th>
            <th scope="col" className="w-14 pr-3 text-right font-normal">
              Calls
            </th>
            <th scope="col" className="w-32 text-right font-normal max-sm:hidden">
              Tokens in, out
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)} className="border-t border-line align-top">
              <th scope="row" className="py-1 pr-3 text-left font-normal [overflow-wrap:anywhere]">
                {column.cell(row)}
              </th>
              <td className="py-1 pr-3">
                {costText(row)}
                {row.knownCostUsd > 0 && <Share of={row.knownCostUsd / most} />}
              </td>
              <td className="py-1 pr-3 text-right tabular-nums">{countText(row.calls)}</td>
              <td className="py-1 text-right tabular-nums max-sm:hidden">
                {countText(row.inputTokens)}, {countText(row.outputTokens)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Share({ of }: { readonly of: number }) {
  return (
    <span aria-hidden="true" className="my-0.5 block h-1 rounded-sm bg-line">
      <span className="block h-full rounded-sm bg-accent" style={{ width: `${Math.round(of * 100)}%` }} />
    </span>
  )
}

type Sum = Pick<CallCosts, 'calls' | 'knownCostUsd' | 'unpricedCalls'>

/** The cost of a sum: `$1.24`, `unknown`, or `$1.24 + 3 calls of unknown cost`. */
export function costText({ calls, knownCostUsd, unpricedCalls }: Sum): string {
  if (unpricedCalls === 0) return formatCost(knownCostUsd)
  if (unpricedCalls === calls) return 'unknown'
  const unknown = `${countText(unpricedCalls)} ${unpricedCalls === 1 ? 'call' : 'calls'} of unknown cost`
  return `${formatCost(knownCostUsd)} + ${unknown}`
}
