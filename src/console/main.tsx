import { createRoot } from 'react-dom/client'
import { addressesOf } from './api/addresses.ts'
import { App } from './app/app.tsx'
import { ROUTES } from './app/routes.ts'
import { keepFocus } from './keys/keep-focus.ts'
import { createServices } from './services/services.ts'
import './theme.css'

const services = createServices(addressesOf(import.meta.url), ROUTES)
services.credentials.takeProjectToken()
services.theme.start()
services.keys.start()
services.live.start()
services.build.start()
services.router.start()
keepFocus()
createRoot(document.querySelector('#console') as HTMLElement).render(<App services={services} />)
