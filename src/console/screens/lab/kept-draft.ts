import type { LabDraft } from './lab-draft.ts'

const PREFIX = 'agentserver.lab.'

/** The draft of this tab for an address, if it was edited before. */
export function keptDraft(address: string): LabDraft | undefined {
  const text = sessionStorage.getItem(PREFIX + address)
  return text === null ? undefined : (JSON.parse(text) as LabDraft)
}

/** Keeps a draft until the tab is closed. A draft that is too large is not kept. */
export function keepDraft(address: string, draft: LabDraft): void {
  try {
    sessionStorage.setItem(PREFIX + address, JSON.stringify(draft))
  } catch {
    sessionStorage.removeItem(PREFIX + address)
  }
}

export function dropDraft(address: string): void {
  sessionStorage.removeItem(PREFIX + address)
}
