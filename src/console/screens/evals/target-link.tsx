import type { CaseTarget } from '../../../contract/evals/case.ts'
import { Link } from '../../router/link.tsx'

/** What the cases run. */
export function TargetLink({ target }: { readonly target: CaseTarget | null }) {
  if (target === null) return <span className="text-dim">several</span>
  const [[kind, id] = ['', '']] = Object.entries(target)
  return (
    <Link
      to={`${kind}s/${encodeURIComponent(id)}`}
      title={id}
      className="inline-block max-w-full truncate align-bottom text-accent hover:underline"
    >
      {kind} {id}
    </Link>
  )
}
