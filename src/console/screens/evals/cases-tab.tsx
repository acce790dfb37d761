import type { EvalCase, EvalRun, PlannedCase } from '../../../contract/endpoints/project/evals.ts'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { usePages } from '../../api/use-pages.ts'
import { shortJson } from '../../json/parse-json.ts'
import { useChanges } from '../../live/use-topic.ts'
import { useUrlState } from '../../router/use-url-state.ts'
import { WithPanel } from '../../ui/layout/side-panel.tsx'
import { escapeHidden } from '../../ui/escape-text.ts'
import { EmptyState } from '../../ui/state/states.tsx'
import { StatusBadge } from '../../ui/state/status-badge.tsx'
import type { Column } from '../../ui/table/data-table.tsx'
import { ListView } from '../../ui/table/list-view.tsx'
import { CasePanel } from './case-panel.tsx'
import { useEvalRun } from './eval-runs.tsx'
import { scoreText } from './score.tsx'

/** A case as saved, and what came of it in the newest run. */
interface SavedCase {
  readonly planned: PlannedCase
  /** Undefined before a run, and when the case was another. */
  readonly result: EvalCase | undefined
}

const COLUMNS: readonly Column<SavedCase>[] = [
  {
    name: 'Case',
    width: 'minmax(7rem, 1fr)',
    cell: ({ planned: { id } }) => (
      <span className="font-mono text-sm" title={escapeHidden(id)}>
        {escapeHidden(id.split('/').at(-1) ?? '')}
      </span>
    ),
  },
  {
    name: 'Score',
    width: '4rem',
    align: 'right',
    cell: ({ result }) =>
      result && (
        <StatusBadge status={result.score === 1 ? 'completed' : 'error'} text={scoreText(result.score)} />
      ),
  },
  { name: 'Input', width: 'minmax(6rem, 2fr)', cell: ({ planned }) => <Json value={planned.input} /> },
  { name: 'Expected', width: 'minmax(6rem, 2fr)', cell: ({ planned }) => <Json value={planned.expected} /> },
  { name: 'Output', width: 'minmax(6rem, 2fr)', cell: (row) => <Output {...row} /> },
  { name: 'Scores', width: 'minmax(5rem, 1fr)', cell: (row) => <Scores {...row} /> },
]

/** The cases of an eval as saved, with the outputs and scores of its newest run. */
export function CasesTab({
  evalId,
  newest,
}: {
  readonly evalId: string
  readonly newest: EvalRun | undefined
}) {
  const [{ case: chosenId }, set] = useUrlState({ case: '' })
  const { total, error, at, show, refetch } = usePages('listEvalCases', { params: { id: evalId } })
  const { data } = useEvalRun(newest?.id ?? '')
  const withResult = (planned: PlannedCase | undefined): SavedCase | undefined =>
    planned && { planned, result: data?.cases.find((one) => isResultOf(one, planned)) }
  const rows = Array.from({ length: total ?? 0 }, (_, index) => withResult(at(index)))
  const loaded = rows.find((one) => one?.planned.id === chosenId)
  // a link names a case of any page
  const isLinked = chosenId !== '' && !loaded
  const { data: linked, refetch: refetchLinked } = useEndpoint(
    'listEvalCases',
    { params: { id: evalId }, query: { caseId: chosenId } },
    { enabled: isLinked },
  )
  useChanges('config', () => {
    refetch()
    if (isLinked) void refetchLinked()
  })
  const chosen = loaded ?? withResult(linked?.find(({ id }) => id === chosenId))
  return (
    <WithPanel panel={chosen && <CasePanel key={chosenId} {...chosen} close={() => set({ case: '' })} />}>
      <ListView
        label="Cases"
        columns={COLUMNS}
        count={total}
        row={(index) => rows[index]}
        rowKey={({ planned }) => planned.id}
        chosenKey={chosenId}
        open={({ planned }) => set({ case: planned.id })}
        onVisible={show}
        error={error}
        retry={refetch}
        noun="case"
        filtered={false}
        empty={<EmptyState title="No cases in the code as saved" />}
      />
    </WithPanel>
  )
}

function isResultOf(result: EvalCase, { id, ...planned }: PlannedCase): boolean {
  const testedIn = ({ target, input, expected }: Pick<EvalCase, 'target' | 'input' | 'expected'>) =>
    JSON.stringify([target, input, expected])
  return result.id === id && testedIn(result) === testedIn(planned)
}

function Json({ value }: { readonly value: unknown }) {
  const text = shortJson(value)
  return <span title={text}>{text}</span>
}

function Output({ planned, result }: SavedCase) {
  const error = result ? result.error : planned.error
  if (error === null) return <Json value={result?.output} />
  const text = escapeHidden(error)
  return (
    <span className="text-error" title={text}>
      {text}
    </span>
  )
}

/** The scores by their scorers; before a run, the scorers. */
function Scores({ planned: { scorers }, result }: SavedCase) {
  const texts = result?.scores.map(({ name, score }) => `${name} ${scoreText(score)}`)
  return <span className="text-dim">{escapeHidden((texts ?? scorers).join(', '))}</span>
}
