export { type AppDependencies, createApp, LOOPBACK_HOSTS } from './app.ts'
export { LiveSettings, type LiveSettingsOptions } from './live-settings.ts'
export { type RunningServer, type ServeOptions, startServer } from './serve.ts'
