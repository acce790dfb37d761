export interface AccessNoteProps {
  readonly access: string
  readonly openedBy: readonly string[]
  /** Of the operation. */
  readonly name?: string | undefined
}

/** Who may call it: its class, and what opens it on this server. */
export function AccessNote({ access, openedBy, name }: AccessNoteProps) {
  return (
    <p className="flex flex-wrap gap-x-3 pt-1 text-sm text-dim">
      {name !== undefined && <span className="font-mono">{name}</span>}
      <span>{`class ${access}`}</span>
      <span>{openedBy.length === 0 ? 'open to everyone here' : `opened by ${openedBy.join(', or ')}`}</span>
    </p>
  )
}
