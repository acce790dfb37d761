import { JsonView } from '../../json/json-view.tsx'
import { Link } from '../../router/link.tsx'

export interface ListedTool {
  readonly name: string
  readonly title?: string | null
  readonly description: string
  readonly inputSchema: object
  readonly outputSchema?: object | null | undefined
}

export interface ToolListProps {
  readonly tools: readonly ListedTool[]
  /** Whether the tools can be called here. */
  readonly callable: boolean
}

/** Tools with their schemas, each expandable. */
export function ToolList({ tools, callable }: ToolListProps) {
  return (
    <ul className="border-t border-line">
      {tools.map(({ name, title, description, inputSchema, outputSchema }) => (
        <li key={name} className="border-b border-line py-1">
          <details>
            <summary className="break-words">
              <span className="font-mono text-sm">{name}</span>
              {title != null && title !== name && <span className="pl-2">{title}</span>}
              <span className="pl-3 text-dim">{description}</span>
            </summary>
            <div className="flex flex-col gap-2 py-2 pl-4">
              {callable && (
                <p>
                  <Link to={`tools/${encodeURIComponent(name)}`}>Run tool</Link>
                </p>
              )}
              <JsonView value={inputSchema} label={`Input schema of ${name}`} open={3} />
              {outputSchema && <JsonView value={outputSchema} label={`Output schema of ${name}`} open={2} />}
            </div>
          </details>
        </li>
      ))}
    </ul>
  )
}
