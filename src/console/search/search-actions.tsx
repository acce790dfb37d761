import type { Found, FoundAction } from './found.ts'

export interface SearchActionsProps {
  /** The highlighted result. */
  readonly found: Found
  readonly open: () => void
  readonly perform: (action: FoundAction) => void
}

const BUTTON = 'flex items-center justify-between gap-3 rounded-sm px-2 py-1 text-left hover:bg-hover'

/** What can be done with the highlighted result. Tab moves from the field to these buttons. */
export function SearchActions({ found, open, perform }: SearchActionsProps) {
  const { name, completed, actions = [] } = found
  return (
    <section
      aria-label="Actions"
      className="flex shrink-0 flex-col gap-px overflow-auto border-line p-1 text-sm max-sm:max-h-28 max-sm:border-t sm:w-52 sm:border-l"
    >
      <h3 className="truncate px-2 py-1 text-dim" title={name}>
        <bdi>{name}</bdi>
      </h3>
      <button type="button" className={BUTTON} onClick={open}>
        {completed === undefined ? 'Open' : 'Complete'}
        <kbd className="font-sans text-dim">Enter</kbd>
      </button>
      {actions.map((action) => (
        <button key={action.name} type="button" className={BUTTON} onClick={() => perform(action)}>
          {action.name}
        </button>
      ))}
      {actions.length > 0 && (
        <p className="mt-auto px-2 py-1 text-dim max-sm:hidden">
          <kbd className="font-sans">Tab</kbd> moves here
        </p>
      )}
    </section>
  )
}
