export { LiveSettings, type LiveSettingsOptions } from './live-settings.ts'
export { type AppOptions, LOOPBACK_HOSTS, type OpenedApp, openApp } from './open-app.ts'
export { type RunningServer, type ServeOptions, startServer } from './serve.ts'
export type { Tenant } from './tenants.ts'
