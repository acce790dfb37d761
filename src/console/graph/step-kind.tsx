import type { StepType } from '../../contract/status.ts'

interface Kind {
  /** Drawn on 16 × 16. */
  readonly path: string
  /** Said before the name of what has nested steps. */
  readonly prefix: string
  readonly description: string
}

/** What tells the step kinds apart: a sign of its own for each, and words. */
export const STEP_KINDS: Readonly<Record<StepType, Kind>> = {
  andThen: { path: 'M3 3.5h10v9H3zM6 8h4', prefix: '', description: 'runs a function' },
  andWhen: {
    path: 'M8 1.8 14.2 8 8 14.2 1.8 8z',
    prefix: 'if',
    description: 'runs its step if the condition holds',
  },
  andAll: {
    path: 'M4 2.5v11M8 2.5v11M12 2.5v11',
    prefix: 'all of',
    description: 'runs its steps side by side',
  },
  andRace: {
    path: 'M4 14V2.5M4 3h8.5L10.5 6l2 3H4',
    prefix: 'first of',
    description: 'runs its steps side by side; the first to complete wins',
  },
  andTap: { path: 'M2.5 5h11M8 5v8M5.5 10.5 8 13l2.5-2.5', prefix: '', description: 'a side effect' },
  andAgent: {
    path: 'M8 2v3M3.5 5h9v7.5h-9zM6.2 8v1.5M9.8 8v1.5',
    prefix: '',
    description: 'asks an agent',
  },
  andWorkflow: {
    path: 'M2.5 2.5h7v5h-7zM6.5 10.5v3h7v-5h-4',
    prefix: '',
    description: 'runs a workflow as an execution of its own',
  },
}

/** The sign of a step kind. */
export function StepKindIcon({ type }: { readonly type: StepType }) {
  return (
    <svg
      viewBox="0 0 16 16"
      aria-hidden="true"
      className="size-3.5 shrink-0 text-dim"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.5}
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d={STEP_KINDS[type].path} />
    </svg>
  )
}
