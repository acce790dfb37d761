import type { MachineSummary } from '../../../contract/endpoints/observability.ts'

/** The release that most machines have; of several, that of the machine that serves this console. */
export function mainRelease(machines: readonly MachineSummary[]): string | undefined {
  const counts = new Map<string, number>()
  for (const { release } of machines) counts.set(release, (counts.get(release) ?? 0) + 1)
  const most = Math.max(...counts.values())
  const common = machines.filter(({ release }) => counts.get(release) === most)
  return (common.find(({ self }) => self) ?? common[0])?.release
}
