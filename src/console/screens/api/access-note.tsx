export interface AccessNoteProps {
  readonly access: string
  readonly credentials: readonly string[]
  /** Name of the operation. */
  readonly name?: string | undefined
}

/** The access class of an operation, and the credentials that it requires. */
export function AccessNote({ access, credentials, name }: AccessNoteProps) {
  return (
    <p className="flex flex-wrap gap-x-3 pt-1 text-sm text-dim">
      {name !== undefined && <span className="font-mono">{name}</span>}
      <span>{`access class: ${access}`}</span>
      <span>
        {credentials.length === 0 ? 'no credentials required' : `requires ${credentials.join(' or ')}`}
      </span>
    </p>
  )
}
