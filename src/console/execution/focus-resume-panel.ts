const FIELDS = 'input:not([aria-hidden]), textarea, [role="combobox"]'

/** Moves the focus to the resume form of a suspended execution. */
export function focusResumePanel(): void {
  const panel = document.querySelector<HTMLElement>('[data-resume]')
  const fields = [...(panel?.querySelectorAll<HTMLElement>(FIELDS) ?? [])]
  const buttons = [...(panel?.querySelectorAll<HTMLElement>('button') ?? [])]
  // without a form there is only the resume button
  const target = fields.find((field) => field.checkVisibility()) ?? buttons.at(-1)
  target?.scrollIntoView({ block: 'nearest' })
  target?.focus()
}
