export interface AccessNoteProps {
  readonly access: string
  readonly credentials: readonly string[]
  /** Of the operation. */
  readonly name?: string | undefined
}

/** Who may call it: its class, and what opens it on this server. */
export function AccessNote({ access, credentials, name }: AccessNoteProps) {
  return (
    <p className="flex flex-wrap gap-x-3 pt-1 text-sm text-dim">
      {name !== undefined && <span className="font-mono">{name}</span>}
      <span>{`class ${access}`}</span>
      <span>
        {credentials.length === 0 ? 'open to everyone here' : `opened by ${credentials.join(', or ')}`}
      </span>
    </p>
  )
}
