export interface ToolFieldsProps {
  /** Names of all tools of the agent. */
  readonly names: readonly string[]
  readonly chosen: readonly string[]
  readonly onChange: (names: readonly string[]) => void
}

/** The tools that a column has. */
export function ToolFields({ names, chosen, onChange }: ToolFieldsProps) {
  const toggle = (name: string, isOn: boolean) =>
    onChange(names.filter((one) => (one === name ? isOn : chosen.includes(one))))
  return (
    <fieldset>
      <legend className="pb-0.5 text-sm text-dim">Tools</legend>
      <div className="flex flex-wrap gap-x-4">
        {names.map((name) => (
          <label key={name} className="flex min-h-6 items-center gap-1.5 font-mono text-sm">
            <input
              type="checkbox"
              checked={chosen.includes(name)}
              onChange={({ target }) => toggle(name, target.checked)}
            />
            {name}
          </label>
        ))}
      </div>
    </fieldset>
  )
}
