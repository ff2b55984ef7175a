// Notifications of what becomes of applications: conditions, subscriptions, templates, services.
export { type NotificationsLoopOptions, notificationsLoop } from './loop.ts'
