import { createRoot } from 'react-dom/client'
import { addressesOf } from './api/addresses.ts'
import { App } from './app/app.tsx'
import { createServices } from './app/services.ts'
import './theme.css'

const services = createServices(addressesOf(import.meta.url))
services.theme.start()
services.keys.start()
services.live.start()
// not awaited at the top: whatever a screen shares with this file can then be one file with it
void services.router.start().then(() => {
  createRoot(document.querySelector('#console') as HTMLElement).render(<App services={services} />)
})
