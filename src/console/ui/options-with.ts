/** The ids of what there is, and the one that is chosen, which may be gone. */
export function optionsWith(items: readonly { readonly id: string }[], chosen: string): string[] {
  const ids = items.map(({ id }) => id)
  return chosen === '' || ids.includes(chosen) ? ids : [...ids, chosen]
}
