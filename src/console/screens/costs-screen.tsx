import { CostsView } from '../statistics/costs-view.tsx'
import { PageHeader } from '../ui/layout/page-header.tsx'

/** What models cost, by model, agent, workflow, step and time. */
export function CostsScreen() {
  return (
    <>
      <PageHeader title="Costs" />
      <CostsView />
    </>
  )
}
