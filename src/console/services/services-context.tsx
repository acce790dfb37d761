import { createContext, useContext } from 'react'
import type { Services } from './services.ts'

export const ServicesContext = createContext<Services | undefined>(undefined)

/** The shared services: `api`, `live`, `router`, `keys`, `commands`, `toasts`, … */
export function useServices(): Services {
  const services = useContext(ServicesContext)
  if (!services) throw new Error('useServices must be used below ServicesContext')
  return services
}
