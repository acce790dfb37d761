import { CSPProvider } from '@base-ui/react/csp-provider'
import { QueryClientProvider } from '@tanstack/react-query'
import { AppShell } from '../shell/app-shell.tsx'
import { CurrentScreen } from './current-screen.tsx'
import type { Services } from '../services/services.ts'
import { ServicesContext } from '../services/services-context.tsx'

export function App({ services }: { readonly services: Services }) {
  return (
    <ServicesContext value={services}>
      <QueryClientProvider client={services.queries}>
        <CSPProvider disableStyleElements>
          <AppShell>
            <CurrentScreen />
          </AppShell>
        </CSPProvider>
      </QueryClientProvider>
    </ServicesContext>
  )
}
