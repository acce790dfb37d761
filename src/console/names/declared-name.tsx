import { useNames } from './use-names.ts'
import type { NamedKind } from './use-names.ts'

/** The name of a workflow or an agent, with its id in the tooltip; the id if the configuration has it no more. */
export function DeclaredName({ kind, id }: { readonly kind: NamedKind; readonly id: string }) {
  const { nameOf } = useNames(kind)
  return <bdi title={id}>{nameOf(id)}</bdi>
}
