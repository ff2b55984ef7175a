// Notifications of what becomes of applications: conditions, subscriptions, templates, services.

export { evaluate } from './expression/evaluate.ts'
export { ExpressionFault } from './expression/fault.ts'
export { parseExpression } from './expression/parser.ts'
export { type NotificationsLoopOptions, notificationsLoop } from './loop.ts'
