import type { Client } from '../../client/create-client.ts'
import { type CaseTarget, targetName } from '../../contract/evals/case.ts'
import { type KnownTargets, parseTarget } from '../../evals/import/cases-of-rows.ts'
import type { DataSet } from '../../evals/import/data-row.ts'
import { targetIds } from '../../evals/run/target-ids.ts'

/** What the project has, with the input schemas of the targets that a data set names. */
export async function knownTargets(
  client: Client,
  { rows }: DataSet,
  given: CaseTarget | undefined,
): Promise<KnownTargets> {
  const ids = await targetIds(client)
  const named = [given, ...rows.map(({ values }) => parseTarget(values.target))]
  const workflows = new Set(named.flatMap((one) => (one && 'workflow' in one ? one.workflow : [])))
  const objects = new Set<string>()
  for (const id of workflows) {
    if (!ids['workflow']?.includes(id)) continue
    const { inputSchema } = await client.getWorkflow({ params: { id } })
    if (inputSchema['type'] === 'object') objects.add(`workflow ${id}`)
  }
  for (const { name, inputSchema } of await client.listTools())
    if (inputSchema['type'] === 'object') objects.add(`tool ${name}`)
  return { ids, wantsObject: (target) => objects.has(targetName(target)) }
}
