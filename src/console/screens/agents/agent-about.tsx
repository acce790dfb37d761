import type { AgentDetail } from '../../../contract/endpoints/agent.ts'
import { Link } from '../../router/link.tsx'
import { ToolList } from '../../tools/tool-list.tsx'

/** Instructions, tools and sub-agents of an agent. */
export function AgentAbout({ agent }: { readonly agent: AgentDetail }) {
  const { description, instructions, tools, subAgents, memory, perRequest } = agent
  return (
    <div
      className="flex min-h-0 flex-1 flex-col gap-6 overflow-auto p-4"
      tabIndex={0}
      role="region"
      aria-label="Instructions and tools"
    >
      <section aria-label="Instructions" className="max-w-3xl">
        {description !== '' && <p className="break-words pb-2 text-dim">{description}</p>}
        <h2 className="pb-1 font-semibold">Instructions</h2>
        <p className="whitespace-pre-wrap break-words rounded-md border border-line bg-panel p-2">
          {instructions ?? <span className="text-dim">chosen per request by a function</span>}
        </p>
        <p className="pt-2 text-dim">Memory: {memory ? 'on' : 'off'}</p>
      </section>
      <section aria-label="Tools" className="max-w-3xl">
        <h2 className="pb-1 font-semibold">
          Tools <span className="font-normal text-dim">{tools.length}</span>
        </h2>
        {tools.length > 0 && <ToolList tools={tools} callable />}
        {perRequest.includes('tools') ? (
          <p className="text-dim">chosen per request by a function</p>
        ) : (
          tools.length === 0 && <p className="text-dim">No tools</p>
        )}
      </section>
      {subAgents.length > 0 && (
        <section aria-label="Sub-agents" className="max-w-3xl">
          <h2 className="pb-1 font-semibold">Sub-agents</h2>
          <ul>
            {subAgents.map(({ id, name, description: purpose }) => (
              <li key={id}>
                <Link to={`agents/${encodeURIComponent(id)}`}>{name}</Link>
                <span className="pl-3 text-dim">{purpose}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  )
}
