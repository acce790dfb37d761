import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  root: 'web',
  plugins: [react()],
  server: {
    // The browser sees one origin, so no CORS settings are needed in development.
    // `changeOrigin` of the short form would make them requests of another site, which the server refuses.
    proxy: {
      '/agents': { target: process.env['AGENTSERVER_URL'] ?? 'http://127.0.0.1:3141', changeOrigin: false },
    },
  },
})
