import { createRoot } from 'react-dom/client'
import { addressesOf } from './api/addresses.ts'
import { ROUTES } from './app/routes.ts'
import { keepFocus } from './keys/keep-focus.ts'
import { createServices } from './services/services.ts'
import type { Services } from './services/services.ts'
import './theme.css'
import { CSPProvider } from '@base-ui/react/csp-provider'
import { QueryClientProvider } from '@tanstack/react-query'
import { AppShell } from './shell/app-shell.tsx'
import { CurrentScreen } from './app/current-screen.tsx'
import { ServicesContext } from './services/services-context.tsx'

function App({ services }: { readonly services: Services }) {
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

const services = createServices(addressesOf(import.meta.url), ROUTES)
services.credentials.takeProjectToken()
services.theme.start()
services.keys.start()
services.live.start()
services.build.start()
services.router.start()
keepFocus()
createRoot(document.querySelector('#console') as HTMLElement).render(<App services={services} />)
