import type { StepType } from '../../contract/status.ts'

interface Kind {
  /** Icon path on a 16 × 16 grid. */
  readonly path: string
  /** Shown before the name of a step with nested steps. */
  readonly prefix: string
  readonly description: string
}

/** Icon and description of each step type. */
export const STEP_KINDS: Readonly<Record<StepType, Kind>> = {
  andThen: { path: 'M3 3.5h10v9H3zM6 8h4', prefix: '', description: 'runs a function' },
  andWhen: {
    path: 'M8 1.8 14.2 8 8 14.2 1.8 8z',
    prefix: 'if',
    description: 'runs its step when the condition is true',
  },
  andAll: {
    path: 'M4 2.5v11M8 2.5v11M12 2.5v11',
    prefix: 'all of',
    description: 'runs its steps in parallel',
  },
  andRace: {
    path: 'M4 14V2.5M4 3h8.5L10.5 6l2 3H4',
    prefix: 'first of',
    description: 'runs its steps in parallel; the first to complete wins',
  },
  andBranch: {
    path: 'M3 2.5v11M3 8h4.5L12 4M7.5 8l4.5 4',
    prefix: 'one of',
    description: 'runs the first step whose condition is true',
  },
  andTry: {
    path: 'M8 1.8 13.5 4v4.2c0 3-2.3 5-5.5 6-3.2-1-5.5-3-5.5-6V4z',
    prefix: 'try',
    description: 'runs its first step, and the other one when it has failed',
  },
  andForEach: {
    path: 'M2.5 3.5h8v3h-8zM4 9h8M5.5 12h8',
    prefix: 'each',
    description: 'runs its step for each item',
  },
  andDoWhile: {
    path: 'M12.5 5A5.2 5.2 0 1 0 13 9.5M12.8 2v3.2H9.6',
    prefix: 'while',
    description: 'repeats its step while the condition is true',
  },
  andDoUntil: {
    path: 'M12.5 5A5.2 5.2 0 1 0 13 9.5M12.8 2v3.2H9.6',
    prefix: 'until',
    description: 'repeats its step until the condition is true',
  },
  andSleep: {
    path: 'M8 2.2a5.8 5.8 0 1 0 0 11.6A5.8 5.8 0 0 0 8 2.2M8 5v3.2l2.2 1.6',
    prefix: '',
    description: 'waits for a time',
  },
  andSleepUntil: {
    path: 'M8 2.2a5.8 5.8 0 1 0 0 11.6A5.8 5.8 0 0 0 8 2.2M8 5v3.2l2.2 1.6',
    prefix: '',
    description: 'waits until a time',
  },
  andWaitForEvent: {
    path: 'M2.5 5.5h11v7h-11zM2.5 5.5 8 9.5l5.5-4M8 1.8v3',
    prefix: '',
    description: 'waits for an event',
  },
  andTap: { path: 'M2.5 5h11M8 5v8M5.5 10.5 8 13l2.5-2.5', prefix: '', description: 'runs a side effect' },
  andAgent: {
    path: 'M8 2v3M3.5 5h9v7.5h-9zM6.2 8v1.5M9.8 8v1.5',
    prefix: '',
    description: 'calls an agent',
  },
  andWorkflow: {
    path: 'M2.5 2.5h7v5h-7zM6.5 10.5v3h7v-5h-4',
    prefix: '',
    description: 'runs a workflow as a child run',
  },
  group: {
    path: 'M5 2.5h6v3H5zM5 10.5h6v3H5zM8 5.5v5',
    prefix: '',
    description: 'runs its steps one after the other',
  },
  function: {
    path: 'M10.5 2.5H9Q7.5 2.5 7.3 4L6 12q-.2 1.5-1.7 1.5H3M4.5 6.5h5',
    prefix: '',
    description: 'is a function, whose calls are recorded when they are made',
  },
}

/** The icon of a step type. */
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
